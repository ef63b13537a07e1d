import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { eachOf, memberOf } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import { makeFolder } from '../files/private-files.ts'
import { findModel, readModel } from '../models/read-model.ts'
import type { ConnectionOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { countText, priceText } from '../terminal/text.ts'
import { renderTypes } from './render-types.ts'
import { codeOf, readTypes, type WrittenModel } from './typed-model.ts'

export interface TypesOptions {
  all?: boolean | undefined
  out: string
  check?: boolean | undefined
  /** Allows literal ids that the file does not have: a typing mistake in an id is not an error then. */
  open?: boolean | undefined
}

export interface TypesWork {
  client: Pick<ModelRun, 'models'>
  terminal: Pick<Terminal, 'print' | 'say'>
}

/** Runs `modelrun types` on the files of the current folder. */
export async function runTypesCommand(
  [ids]: [string[]],
  options: TypesOptions & ConnectionOptions,
  context: CliContext,
): Promise<ExitCode> {
  const { client } = await createService(options, context)
  return runTypes(ids, options, { client, terminal: context.terminal })
}

/**
 * Writes the input types of models into a file of the program, or compares such a file with the catalog.
 *
 * @param ids the models; none: those that the file has
 * @returns Exit code: 0 done, 1 when the check found a difference
 * @throws UsageError, and what reading the catalog or writing the file throws
 */
export async function runTypes(ids: readonly string[], options: TypesOptions, work: TypesWork): Promise<ExitCode> {
  const { all, out, check, open: isOpen = false } = options
  const { client, terminal } = work
  if (all && ids.length > 0) throw new UsageError('Give ids or --all, not both.')
  if (!/\.[cm]?ts$/.test(out)) throw new UsageError(`--out must end in .d.ts, or in .ts: ${out} does not.`)
  const text = await readText(out)
  const written = readTypes(text)
  if (written === undefined && (check || text.trim() !== ''))
    throw new UsageError(`${out} is not a file of modelrun types, and is left as it is. Name another one with --out.`)
  if (check) return await checkTypes(ids, { ...options, isOpen, text }, work)
  const own = written?.map(({ id }) => id) ?? []
  const named = all ? await allIds(client) : ids
  const wanted = new Set(named.length > 0 ? named : own)
  if (wanted.size === 0) throw new UsageError('Name the models: modelrun types <id>…, or --all.')
  const models = await readEach(wanted, (id) => readModel(client, id))
  const rendered = renderTypes(models, { isOpen })
  // A file that has the text already is left alone: what watches it does nothing then.
  if (rendered !== text) await writeText(out, rendered)
  terminal.say(`${out}: ${countText(models.length, 'model')}, ${rendered === text ? 'unchanged' : 'written'}.`)
  return EXIT.done
}

/** Compares a file of types with the catalog: its own models, and those that are asked for. The differences are data. */
async function checkTypes(
  ids: readonly string[],
  { out, all, isOpen, text }: TypesOptions & { isOpen: boolean; text: string },
  { client, terminal }: TypesWork,
): Promise<ExitCode> {
  const written = readTypes(text) ?? []
  const wanted = new Set([...written.map(({ id }) => id), ...(all ? await allIds(client) : ids)])
  const models = (await readEach(wanted, (id) => findModel(client, id))).filter((model) => model !== undefined)
  const rendered = renderTypes(models, { isOpen })
  const changes = compare(written, readTypes(rendered) ?? [])
  if (changes.length === 0 && codeOf(text) === codeOf(rendered)) {
    terminal.say(`${out}: up to date.`)
    return EXIT.done
  }
  const found = changes.length > 0 ? 'differs from the catalog' : 'was written with other options'
  for (const line of [`${out} ${found}. Run modelrun types to update it.`, ...changes]) terminal.print(line)
  return EXIT.failed
}

/** What changed from the models of a file to those of the catalog: `-` was removed, `+` was added, `~` is another one. */
function compare(before: readonly WrittenModel[], after: readonly WrittenModel[]): string[] {
  const gone = before.filter(({ id }) => !after.some((model) => model.id === id))
  const changed = after.flatMap(({ id, credits, code }) => {
    const known = before.find((model) => model.id === id)
    if (known === undefined) return [`+ ${id}: the model is not in the file yet`]
    return [
      ...(known.credits === credits ? [] : [`~ ${id}: a run costs ${priceText(credits)}, not ${known.credits}`]),
      ...(known.code === code ? [] : [`~ ${id}: its parameters changed, or were edited`]),
    ]
  })
  return [...gone.map(({ id }) => `- ${id}: the model is not in the catalog any more`), ...changed].toSorted()
}

async function allIds(client: TypesWork['client']): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of client.models.list({ limit: 100 })) ids.push(id)
  return ids
}

const CONCURRENCY = 16

async function readEach<Found>(ids: ReadonlySet<string>, read: (id: string) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = []
  await eachOf(ids, CONCURRENCY, async (id) => found.push(await read(id)))
  return found
}

async function writeText(path: string, text: string): Promise<void> {
  makeFolder(dirname(resolve(path)))
  await writeFile(path, text)
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return ''
    throw error
  }
}
