import type { Model } from 'modelrun'
import { compareModels } from './compare-models.ts'
import { readModels } from './read-models.ts'
import { codeOf, readTypes, type WrittenModel } from './read-types.ts'
import { renderTypes } from './render-types.ts'
import { explainMissing, selectIds } from './select-models.ts'
import { toTypedModel } from './typed-model.ts'
import type { TypesIo, TypesOptions } from './types-options.ts'

/**
 * Compares a file of types with the catalog: its own models, and those that the options ask for. The differences go to
 * the standard output.
 *
 * @returns Exit code: 0 equal, 1 different, 2 when there is no such file or model
 */
export async function checkTypes(options: TypesOptions & { out: string }, io: TypesIo): Promise<0 | 1 | 2> {
  const text = await io.readFile(options.out)
  const written = text === undefined ? undefined : readTypes(text)
  if (text === undefined || written === undefined) {
    const problem = text === undefined ? 'There is no such file' : 'It is not a file of modelrun types, or was edited'
    io.stderr(`${options.out}: ${problem}. Write it by modelrun types.\n`)
    return 2
  }
  const wanted = await selectIds(options, io)
  const catalog = await readModels(io.client, [...new Set([...written.map(({ id }) => id), ...wanted])])
  const missing = wanted.filter((id) => catalog.get(id) === undefined)
  if (missing.length > 0) await explainMissing(missing, io)
  return missing.length > 0 ? 2 : await report({ ...options, text, written, catalog }, io)
}

interface Comparison extends Pick<TypesOptions, 'open'> {
  out: string
  text: string
  written: readonly WrittenModel[]
  catalog: ReadonlyMap<string, Model | undefined>
}

async function report({ out, text, written, catalog, open }: Comparison, io: TypesIo): Promise<0 | 1 | 2> {
  const present = [...catalog.values()].filter((model) => model !== undefined)
  const models = await Promise.all(present.map(toTypedModel))
  const changes = compareModels(written, models)
  if (changes.length > 0) {
    io.stdout(`${out} differs from the catalog. Run modelrun types to update it.\n${changes.join('\n')}\n`)
    return 1
  }
  const expected = renderTypes(models, { isOpen: open })
  if (codeOf(text) !== codeOf(expected)) {
    io.stdout(`${out} was edited or formatted, or written with other options. Run modelrun types to update it.\n`)
    return 1
  }
  const isSame = text.replaceAll('\r\n', '\n') === expected
  io.stderr(`${out}: ${isSame ? 'up to date' : 'up to date but for descriptions'}.\n`)
  return 0
}
