import { closestName } from '@modelrun/kit'
import type { Model, ModelRun } from 'modelrun'
import { schemaHash } from 'modelrun/models'
import { EXIT, type ExitCode } from '../context.ts'
import { isClientError, UsageError } from '../errors.ts'
import { countText } from '../terminal/text.ts'
import { compareModels } from './compare-models.ts'
import { printable } from './foreign-text.ts'
import { renderTypes } from './render-types.ts'
import { codeOf, readTypes, toTypedModel } from './typed-model.ts'

/** What `modelrun types` is asked for. */
export interface TypesOptions {
  /** Every model of the catalog, instead of ids. */
  all?: boolean | undefined
  /** The file. Default: `modelrun.models.d.ts`, and with `json` the standard output. */
  out?: string | undefined
  /** Compares the file with the catalog, and writes nothing. */
  check?: boolean | undefined
  /** The schemas as data, instead of types. */
  json?: boolean | undefined
  /** Allows literal ids that the file does not have: a typing mistake in an id is not an error then. */
  open?: boolean | undefined
}

/** What it works on. */
export interface TypesIo {
  client: Pick<ModelRun, 'models'>
  /** The text of a file; undefined when there is none. */
  readFile(path: string): Promise<string | undefined>
  write(path: string, text: string): Promise<void>
  /** A line of data. */
  print(line: string): void
  /** A line for people. */
  say(line: string): void
}

const DEFAULT_FILE = 'modelrun.models.d.ts'

/**
 * Writes the input types of models into a file of the program, or compares such a file with the catalog.
 *
 * @param ids the models; none: those that the file has
 * @returns Exit code: 0 done, 1 when the check found a difference
 * @throws UsageError, and what reading the catalog or writing the file throws
 */
export async function runTypes(ids: readonly string[], options: TypesOptions, io: TypesIo): Promise<ExitCode> {
  const { all, out, check, json } = options
  if (all && ids.length > 0) throw new UsageError('Give ids or --all, not both.')
  if (check && json) throw new UsageError('--check compares a file of types: it cannot be used with --json.')
  if (!json && out !== undefined && !/\.[cm]?ts$/.test(out)) {
    throw new UsageError(`--out must end in .d.ts, or in .ts: ${out} does not. Data is written by --json.`)
  }
  if (check) return await checkTypes(ids, options, io)
  const wanted = await selectIds(ids, options, io)
  if (wanted.length === 0) throw new UsageError('Name the models: modelrun types <id>…, or --all.')
  const models = [...(await readModels(wanted, { needed: wanted }, io)).values()]
  if (json && out === undefined) io.print(await modelsJson(models))
  else if (json) await writeFile({ path: out ?? '', text: `${await modelsJson(models, 2)}\n`, models }, io)
  else await writeFile({ path: out ?? DEFAULT_FILE, text: await renderModels(models, options), models }, io)
  return EXIT.done
}

async function renderModels(models: readonly Model[], { open = false }: TypesOptions): Promise<string> {
  return renderTypes(await Promise.all(models.map(toTypedModel)), { isOpen: open })
}

/** A file that has the text already is left alone: what watches it does nothing then. */
async function writeFile(file: { path: string; text: string; models: readonly Model[] }, io: TypesIo): Promise<void> {
  const { path, text, models } = file
  const isWritten = (await io.readFile(path)) === text
  if (!isWritten) await io.write(path, text)
  io.say(`${path}: ${countText(models.length, 'model')}, ${isWritten ? 'unchanged' : 'written'}.`)
}

/** Compares a file of types with the catalog: its own models, and those that are asked for. The differences are data. */
async function checkTypes(ids: readonly string[], options: TypesOptions, io: TypesIo): Promise<ExitCode> {
  const { out = DEFAULT_FILE } = options
  const text = await io.readFile(out)
  if (text === undefined) throw new UsageError(`${out}: There is no such file. Write it by modelrun types.`)
  const written = readTypes(text)
  if (written === undefined)
    throw new UsageError(`${out}: It is not a file of modelrun types, or was edited. Write it by modelrun types.`)
  const own = written.map(({ id }) => id)
  const wanted = ids.length > 0 || options.all ? await selectIds(ids, options, io) : []
  const models = [...(await readModels([...own, ...wanted], { needed: wanted }, io)).values()]
  const changes = compareModels(written, await Promise.all(models.map(toTypedModel)))
  const found = [`${out} differs from the catalog. Run modelrun types to update it.`, ...changes]
  const expected = await renderModels(models, options)
  if (changes.length === 0 && codeOf(text) === codeOf(expected)) {
    const isSame = text.replaceAll('\r\n', '\n') === expected
    io.say(`${out}: ${isSame ? 'up to date' : 'up to date but for descriptions'}.`)
    return EXIT.done
  }
  const edited = [`${out} was edited or formatted, or written with other options. Run modelrun types to update it.`]
  for (const line of changes.length > 0 ? found : edited) io.print(line)
  return EXIT.failed
}

async function selectIds(ids: readonly string[], { all, out }: TypesOptions, io: TypesIo): Promise<string[]> {
  if (ids.length > 0) return [...new Set(ids)]
  if (all) return [...(await readIds(io))]
  const text = (await io.readFile(out ?? DEFAULT_FILE)) ?? ''
  return readTypes(text)?.map(({ id }) => id) ?? []
}

function hinted(id: string, catalog: Iterable<string>): string {
  const closest = closestName(id, catalog)
  return printable(id) + (closest === undefined ? '.' : `; did you mean ${printable(closest)}?`)
}

/** The models as data, for forms and for checks of input: `version` 1 is an object of models by id, with the hash of each schema. */
async function modelsJson(models: readonly Model[], indent?: number): Promise<string> {
  const entries = await Promise.all(
    models.map(async (model) => [model.id, { ...model, hash: await schemaHash(model.input_schema) }] as const),
  )
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify({ version: 1, models: Object.fromEntries(sorted) }, undefined, indent)
}

const CONCURRENCY = 16

async function readIds({ client }: TypesIo): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { id } of client.models.list({ limit: 100 })) ids.add(id)
  return ids
}

/** The models of some ids, with their schemas. @throws UsageError for those that are needed and not there */
async function readModels(
  ids: readonly string[],
  { needed }: { needed: readonly string[] },
  io: TypesIo,
): Promise<Map<string, Model>> {
  const found = new Map<string, Model | undefined>(ids.map((id) => [id, undefined]))
  const waiting = found.keys()
  const work = async () => {
    // The workers share one iterator: each id is taken once.
    for (const id of waiting) found.set(id, await readModel(id, io))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  const missing = needed.filter((id) => found.get(id) === undefined)
  if (missing.length > 0) {
    const catalog = await readIds(io)
    const [first = '', ...more] = missing.map((id) => `There is no model ${hinted(id, catalog)}`)
    throw new UsageError(first, more)
  }
  return new Map([...found].flatMap(([id, model]) => (model === undefined ? [] : [[id, model]])))
}

async function readModel(id: string, { client }: TypesIo): Promise<Model | undefined> {
  try {
    return await client.models.get(id)
  } catch (error) {
    if (isClientError(error) && error.status === 404) return undefined
    throw error
  }
}
