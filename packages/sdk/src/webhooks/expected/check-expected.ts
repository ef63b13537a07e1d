import type { Json, Task } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { InboxQueues } from '../queues.ts'
import { readStoredContext, type StoredContext } from '../delivery/stored-delivery.ts'

/**
 * Checks whether the delivery of a job has come. A task of the queue `expected`. The polls of overdue jobs are a queue of
 * their own, so that their rate is not used up by jobs whose delivery came.
 */
export async function checkExpected({ queues, options }: InboxCore, task: Task): Promise<Json | undefined> {
  if (await hasResult(queues, task.id)) return undefined
  const expected: StoredContext = readStoredContext(task.data) ?? { notedAt: options.clock.now() }
  await queues.overdue.add(task.id, expected)
  return undefined
}

/** Whether the result of a job is handled, or is going to be. */
export async function hasResult({ results }: InboxQueues, taskId: string): Promise<boolean> {
  const task = await results.get(taskId)
  const isDropped = Object(task?.result).isDropped === true
  // What was dropped was not the result of this job.
  if (isDropped) await results.remove(taskId)
  return task !== undefined && !isDropped
}
