import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, Runs } from '@modelrun/durable'
import type { ModelRun } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import { stateFolderOf } from './batch-account.ts'
import type { BatchOptions } from './batch-options.ts'
import { SavedRows } from './saved-rows.ts'

/** A batch that is kept in the folder of its files. */
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

/** Why a batch stops. */
export interface BatchStops {
  /** The key, its permissions or its credits do not suffice. */
  onPause(reason: Error): void
  /** The store failed. */
  onStoreError(error: unknown): void
}

/** A folder can have several batches, by their names. */
type OpenOptions = Pick<BatchOptions, 'out' | 'concurrency' | 'pollsPerSecond'> & { name?: string | undefined }

/** Opens a batch of a folder. @throws UsageError */
export async function openBatch(
  { client, options }: { client: ModelRun; options: OpenOptions },
  { onPause, onStoreError }: BatchStops,
): Promise<Batch> {
  if (process.getBuiltinModule?.('node:sqlite') === undefined) {
    throw new UsageError(
      `This command needs Node 22.13 or later, for node:sqlite. This is Node ${process.versions.node}.`,
    )
  }
  const folder = stateFolderOf(options)
  const [{ createRuns }, { createSqliteEngine }] = await Promise.all([
    import('@modelrun/durable'),
    import('@modelrun/durable/sqlite'),
  ])
  const reserve = join(folder, 'reserve')
  // Random, because some disks store zeros in no space.
  writeFileSync(reserve, randomBytes(RESERVE_BYTES))
  const engine = createSqliteEngine({ path: join(folder, 'batch.db'), onError: onStoreError })
  await engine.setup()
  const runs = createRuns({
    engine,
    client,
    name: options.name,
    concurrency: Math.min(options.concurrency, 10),
    pollRate: { max: options.pollsPerSecond, perMs: 1_000 },
    lockMs: LOCK_MS,
    onPause,
    onError: onStoreError,
  })
  const freeReserve = () => rmSync(reserve, { force: true })
  return { runs, engine, saved: new SavedRows(join(folder, 'saved.jsonl')), freeReserve }
}
