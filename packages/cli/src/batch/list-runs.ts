import type { Run } from '@modelrun/durable'
import type { Batch } from './open-batch.ts'

const PAGE = 1_000

/** All runs of a batch: those that were sent, by their ends, then those under way, then those that wait. */
export async function listRuns({ engine, runs }: Batch, name: string): Promise<Run[]> {
  const keys = new Set<string>()
  for (const state of ['done', 'dead', 'running', 'waiting'] as const) {
    let page: Awaited<ReturnType<typeof engine.list>> = []
    do {
      page = await engine.list(`${name}:submit`, state, { limit: PAGE, after: page.at(-1)?.cursor })
      // A run that was retried has several tasks.
      for (const { id } of page) keys.add(id.split('\u001e', 1)[0] ?? id)
    } while (page.length === PAGE)
  }
  const found = await Promise.all([...keys].map((key) => runs.get(key)))
  return found.filter((run) => run !== undefined)
}

/**
 * Ends what paused an earlier process, such as credits that were used up: the runs that it had tried are due now, and not half a
 * minute after their last try.
 */
export async function resumeBatch({ engine, runs }: Batch, name: string): Promise<void> {
  const queue = `${name}:submit`
  let page: Awaited<ReturnType<typeof engine.list>> = []
  do {
    page = await engine.list(queue, 'waiting', { limit: PAGE, after: page.at(-1)?.cursor })
    // An update makes a task due. Only runs that are about to be sent are there.
    await Promise.all(page.map(({ id, data }) => engine.update(queue, id, data)))
  } while (page.length === PAGE)
  await runs.resume()
}
