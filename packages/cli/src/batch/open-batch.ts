import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, Runs } from '@modelrun/durable'
import type { ModelRun } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import type { BatchOptions } from './batch-options.ts'
import { SavedRows } from './saved-rows.ts'

/** A batch that is kept in the folder of its files. */
export interface Batch {
  runs: Runs
  engine: Engine
  saved: SavedRows
}

/** How long rows of a process that was killed wait. Locks are renewed while a process lives. */
const LOCK_MS = 10_000

/** Opens the batch of a folder, which is created when it is missing. @throws UsageError */
export async function openBatch(
  { client, options }: { client: ModelRun; options: BatchOptions },
  onPause: (reason: Error) => void,
): Promise<Batch> {
  if (process.getBuiltinModule?.('node:sqlite') === undefined) {
    throw new UsageError(
      `\`modelrun batch\` needs Node 22.13 or later, for node:sqlite. This is Node ${process.versions.node}.`,
    )
  }
  const folder = join(options.out, '.modelrun')
  await mkdir(folder, { recursive: true })
  const [{ createRuns }, { createSqliteEngine }] = await Promise.all([
    import('@modelrun/durable'),
    import('@modelrun/durable/sqlite'),
  ])
  const engine = createSqliteEngine({ path: join(folder, 'batch.db') })
  await engine.setup()
  const runs = createRuns({
    engine,
    client,
    concurrency: Math.min(options.concurrency, 10),
    pollRate: { max: options.pollsPerSecond, perMs: 1_000 },
    lockMs: LOCK_MS,
    onPause,
  })
  return { runs, engine, saved: new SavedRows(join(folder, 'saved.jsonl')) }
}
