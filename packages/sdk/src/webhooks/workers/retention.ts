import type { TaskState } from '@modelrun/kit'
import { TOKEN_MEMORY_MS } from '../expected/prepared-runs.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { InboxQueue, InboxQueues } from '../queues.ts'

const PAGE = 100

/** How long an unverified delivery is stored after it was checked. */
const UNVERIFIED_MS = 60_000

/** Removes the tasks whose time is over. */
export async function removeOldTasks({ queues, options, stopping }: InboxCore): Promise<void> {
  const { keepDoneMs, keepDeadMs, clock } = options
  const retention: [queue: keyof InboxQueues, state: TaskState, keepMs: number][] = [
    ['results', 'done', keepDoneMs],
    ['results', 'dead', keepDeadMs],
    ['expected', 'done', keepDoneMs],
    ['overdue', 'done', keepDoneMs],
    ['overdue', 'dead', keepDeadMs],
    ['prepared', 'done', TOKEN_MEMORY_MS],
    ['unverified', 'done', UNVERIFIED_MS],
    ['unverified', 'dead', UNVERIFIED_MS],
    // No worker works this queue: its tasks wait until they are removed.
    ['bindings', 'waiting', keepDoneMs],
  ]
  for (const [queue, state, keepMs] of retention) {
    const before = clock.now() - keepMs
    let hasMore = true
    while (hasMore && !stopping.signal.aborted) hasMore = await removePage(queues[queue], state, before)
  }
}

/** @returns whether there may be more to remove */
async function removePage(queue: InboxQueue, state: TaskState, before: number): Promise<boolean> {
  const page = await queue.list(state, { limit: PAGE })
  const old = page.filter(({ endedAt, addedAt }) => (endedAt ?? addedAt) < before)
  await Promise.all(old.map(({ id }) => queue.remove(id)))
  return old.length === PAGE
}
