import type { Model } from 'modelrun'
import { checkTypes } from './check-types.ts'
import { modelsJson } from './models-json.ts'
import { renderTypes } from './render-types.ts'
import { selectModels } from './select-models.ts'
import { toTypedModel } from './typed-model.ts'
import type { TypesIo, TypesOptions } from './types-options.ts'

const DEFAULT_FILE = 'modelrun.models.d.ts'

/**
 * Writes the input types of models into a file of the program, or compares such a file with the catalog.
 *
 * @returns Exit code: 0 done, 1 when the check found a difference, 2 when something of the command is wrong
 * @throws What reading the catalog or writing the file throws
 */
export async function runTypes(options: TypesOptions, io: TypesIo): Promise<0 | 1 | 2> {
  const problem = findProblem(options)
  if (problem !== undefined) {
    io.stderr(`${problem}\n`)
    return 2
  }
  if (options.check) return await checkTypes({ ...options, out: options.out ?? DEFAULT_FILE }, io)
  const selected = await selectModels(options, io)
  if (selected === undefined) return 2
  return options.json ? await writeJson(options, selected, io) : await writeTypes(options, selected, io)
}

function findProblem({ ids, all, out, check, json }: TypesOptions): string | undefined {
  if (all && ids.length > 0) return 'Give ids or --all, not both.'
  if (check && json) return '--check compares a file of types: it cannot be used with --json.'
  if (!json && out !== undefined && !/\.[cm]?ts$/.test(out)) {
    return `--out must end in .d.ts, or in .ts: ${out} does not. Data is written by --json.`
  }
  return undefined
}

async function writeTypes(
  { out = DEFAULT_FILE, open }: TypesOptions,
  models: readonly Model[],
  io: TypesIo,
): Promise<0> {
  const typed = await Promise.all(models.map(toTypedModel))
  const text = renderTypes(typed, { isOpen: open })
  await writeFile({ path: out, text, count: models.length }, io)
  return 0
}

async function writeJson({ out }: TypesOptions, models: readonly Model[], io: TypesIo): Promise<0> {
  if (out === undefined) io.stdout(await modelsJson(models))
  else await writeFile({ path: out, text: await modelsJson(models, 2), count: models.length }, io)
  return 0
}

/** A file that has the text already is left alone: what watches it does nothing then. */
async function writeFile({ path, text, count }: { path: string; text: string; count: number }, io: TypesIo) {
  const isWritten = (await io.readFile(path)) === text
  if (!isWritten) await io.write(path, text)
  io.stderr(`${path}: ${count} ${count === 1 ? 'model' : 'models'}, ${isWritten ? 'unchanged' : 'written'}.\n`)
}
