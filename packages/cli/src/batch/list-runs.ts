import type { ListedRun } from '@modelrun/durable'
import type { Batch } from './open-batch.ts'

const MOST_READS = 5

/** All runs of a batch. One that another process moves on is in no page, or in several: until all are found, it reads again. */
export async function listRuns({ runs }: Batch): Promise<ListedRun[]> {
  const found = new Map<string, ListedRun>()
  for (let after: string | undefined, left = MOST_READS; left > 0; ) {
    const page = await runs.list({ limit: 1_000, after })
    for (const run of page) found.set(run.key, run)
    after = page.at(-1)?.cursor
    if (after !== undefined) continue
    left = found.size < (await runs.progress()).total ? left - 1 : 0
  }
  return [...found.values()]
}
