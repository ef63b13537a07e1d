import type { TaskRecord, TaskState } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { InboxQueue } from '../queues.ts'
import { TOKEN_MEMORY_MS } from '../resolve-inbox-options.ts'

const PAGE = 100

/** How long an unverified delivery is kept after it was checked. */
const UNVERIFIED_MS = 60_000

/** Removes the tasks that the inbox does not have to remember any more. */
export async function removeOldTasks({ queues, options, stopping }: InboxCore): Promise<void> {
  const { keepDoneMs, keepDeadMs, clock } = options
  const olderThan = (ageMs: number) => clock.now() - ageMs
  const old: [queue: InboxQueue, state: TaskState, before: number][] = [
    [queues.results, 'done', olderThan(keepDoneMs)],
    [queues.results, 'dead', olderThan(keepDeadMs)],
    [queues.expected, 'done', olderThan(keepDoneMs)],
    [queues.overdue, 'done', olderThan(keepDoneMs)],
    [queues.overdue, 'dead', olderThan(keepDeadMs)],
    [queues.prepared, 'done', olderThan(TOKEN_MEMORY_MS)],
    [queues.unverified, 'done', olderThan(UNVERIFIED_MS)],
    [queues.unverified, 'dead', olderThan(UNVERIFIED_MS)],
    // Nothing works this queue: its tasks wait for ever.
    [queues.bindings, 'waiting', olderThan(keepDoneMs)],
  ]
  for (const [queue, state, before] of old) {
    let hasMore = true
    while (hasMore && !stopping.signal.aborted) hasMore = await removePage(queue, state, before)
  }
}

/** @returns whether there may be more to remove */
async function removePage(queue: InboxQueue, state: TaskState, before: number): Promise<boolean> {
  const page = await queue.list(state, { limit: PAGE })
  const old = page.filter((task) => ageMark(task) < before)
  await Promise.all(old.map(({ id }) => queue.remove(id)))
  return old.length === PAGE
}

function ageMark({ endedAt, addedAt }: TaskRecord): number {
  return endedAt ?? addedAt
}
