import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Engine, Runs } from '@modelrun/durable'
import { tryParseJson } from '@modelrun/kit'
import { messageOf, UsageError } from '../errors.ts'
import { appendPrivate, makePrivateFolder, writePrivate } from '../files/private-files.ts'
import type { Service } from '../service/service.ts'
import { bindAccount, isBound, stateFolder } from './account.ts'

export interface Batch {
  runs: Runs
  engine: Engine
  saved: SavedRows
  /** Gives the reserve of the disk back, so that the jobs of what was just sent can be stored. */
  freeReserve(): void
}

/** How long rows of a process that was killed wait. Locks are renewed while a process lives. */
const LOCK_MS = 10_000

/** Enough for the jobs of the runs that are being sent when the disk is full. */
const RESERVE_BYTES = 512 * 1024

export interface BatchStops {
  /** The key, its permissions or its credits do not suffice. */
  onPause(reason: Error): void
  onStoreError(error: unknown): void
}

/** A folder can have several batches, by their names. */
interface OpenOptions {
  out: string
  sameAccount?: boolean | undefined
  /** Whether nothing is sent: then another account may send later. */
  dryRun?: boolean | undefined
  name?: string
  concurrency: number
  pollsPerSecond: number
}

/** Opens a batch of a folder, for the account of a service. @throws UsageError */
export async function openBatch(
  { service, options }: { service: Service; options: OpenOptions },
  { onPause, onStoreError }: Partial<BatchStops> = {},
): Promise<Batch> {
  if (process.getBuiltinModule?.('node:sqlite') === undefined) {
    throw new UsageError(
      `This command needs Node 22.13 or later, for node:sqlite. This is Node ${process.versions.node}.`,
    )
  }
  const folder = openFolder(options.out)
  const path = join(folder, 'batch.db')
  const isNew = !existsSync(path) || statSync(path).size === 0
  if (isNew && isBound(options)) throw new UsageError(goneText(path, folder))
  const load = [import('@modelrun/durable'), import('@modelrun/durable/sqlite')] as const
  const [{ createRuns }, { createSqliteEngine }] = await Promise.all(load)
  const reserve = join(folder, 'reserve')
  // Random, because some disks store zeros in no space.
  writePrivate(reserve, randomBytes(RESERVE_BYTES))
  const engine = createSqliteEngine({ path, onError: onStoreError })
  await engine.setup()
  // After it: a folder that is bound has a database.
  if (!options.dryRun) bindAccount(options, service)
  const runs = createRuns({
    engine,
    client: service.client,
    name: options.name,
    concurrency: Math.min(options.concurrency, 10),
    pollRate: { max: options.pollsPerSecond, perMs: 1_000 },
    lockMs: LOCK_MS,
    onPause,
    onError: onStoreError,
  })
  const freeReserve = () => rmSync(reserve, { force: true })
  return { runs, engine, saved: new SavedRows(options.out), freeReserve }
}

function goneText(path: string, folder: string): string {
  const risk = 'It had what was paid: all rows would be paid again. Nothing was sent.'
  return `${path} is gone. ${risk} Restore it with its folder; to pay for all rows again, remove ${folder}.`
}

/** Files that are written again, in place of a link. */
const REPLACED: readonly string[] = ['reserve', 'account.json']

/** A user who can write there could lead what is written to other files. @throws UsageError for links */
function openFolder(out: string): string {
  const folder = stateFolder(out)
  try {
    makePrivateFolder(folder)
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    const link = links.find(({ name }) => !REPLACED.includes(name))
    if (link === undefined) return folder
    throw new Error(`${link.name} is a link`)
  } catch (error) {
    throw new UsageError(`The batch cannot be kept in ${folder}: ${messageOf(error)}. Nothing was sent.`)
  }
}

export interface SavedRow {
  files?: readonly string[]
  saveProblem?: string | undefined
}

/** Which rows have their files. A row that is not here is saved again, which changes nothing. Read before the database. */
class SavedRows {
  readonly #out: string
  readonly #path: string
  readonly #rows = new Map<string, SavedRow>()

  constructor(out: string) {
    this.#out = out
    this.#path = join(stateFolder(out), 'saved.jsonl')
    if (!existsSync(this.#path)) return
    for (const line of readFileSync(this.#path, 'utf8').split('\n')) {
      // Written by `add`. Half a line is not JSON: its row is saved again.
      const entry = tryParseJson(line) as (SavedRow & { key: string }) | undefined
      if (entry !== undefined) this.#rows.set(entry.key, entry)
    }
  }

  /** The row, if all that was saved of it is there. The folder may have another path than in the process that saved it. */
  of(key: string): SavedRow {
    const { files, saveProblem } = this.#rows.get(key) ?? {}
    const found = files?.map((file) => join(this.#out, basename(file)))
    return found?.every((file) => existsSync(file)) ? { files: found, saveProblem } : {}
  }

  /** Whether the row was paid, also when its files were moved. */
  has(key: string): boolean {
    return this.#rows.get(key)?.files !== undefined
  }

  add(key: string, saved: SavedRow): void {
    this.#rows.set(key, saved)
    // The line break comes first: a process that was killed may have left half a line.
    appendPrivate(this.#path, `\n${JSON.stringify({ key, ...saved })}`)
  }
}
