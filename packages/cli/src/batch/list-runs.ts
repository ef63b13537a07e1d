import type { ListedRun } from '@modelrun/durable'
import type { Batch } from './open-batch.ts'

/** All runs of a batch: those that were sent, by their ends, then those under way, then those that wait. */
export async function listRuns({ runs }: Batch): Promise<ListedRun[]> {
  const found = new Map<string, ListedRun>()
  for (let after: string | undefined; ; ) {
    const page = await runs.list({ limit: 1_000, after })
    for (const run of page) found.set(run.key, run)
    if (page.length === 0) return [...found.values()]
    after = page.at(-1)?.cursor
  }
}
