import type { TaskState } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { latestAttempt } from './read-runs.ts'
import { attemptId, type EndState, isEnded, keyOf, type Run } from './run-types.ts'
import { partOf, type RunsContext } from './runs-context.ts'

const PAGE = 100

/** Which runs are deleted. */
export type RunsToDelete =
  /** The whole batch, but for runs that are under way. */
  | { all: true; state?: undefined; olderThanMs?: undefined }
  /** Runs with this end, whose end is at least so old. Without a state: of any end. */
  | { all?: undefined; state?: EndState | undefined; olderThanMs: number }

/** Deletes runs of the batch of exactly this name. Returns how many, and how many of the wanted ones are under way and stay. */
export async function deleteRuns(
  wanted: RunsToDelete,
  context: RunsContext,
): Promise<{ deleted: number; kept: number }> {
  check(wanted)
  const { engine, queues } = context
  const counts = { deleted: new Set<string>(), kept: new Set<string>() }
  const deleteListed = async (queue: string, state: TaskState) => {
    let after: string | undefined
    for (;;) {
      const page = await engine.list(queue, state, { limit: PAGE, after })
      if (page.length === 0) return
      const before = counts.deleted.size
      for (const key of new Set(page.map(({ id }) => keyOf(id)))) {
        const done = await deleteRun(key, wanted, context)
        if (done !== undefined) counts[done].add(key)
      }
      // Where cursors are numbers of places, those of the rest have changed: the page is read again.
      if (counts.deleted.size === before) after = page.at(-1)?.cursor
    }
  }
  await deleteListed(queues.outcomes, 'waiting')
  for (const state of ['dead', 'waiting', 'running'] as const) {
    for (const queue of [queues.poll, queues.submit]) await deleteListed(queue, state)
  }
  return { deleted: counts.deleted.size, kept: counts.kept.size }
}

function check({ all, state, olderThanMs }: RunsToDelete): void {
  const isAll = all === true && state === undefined && olderThanMs === undefined
  if (isAll || (!all && olderThanMs !== undefined)) return
  const message = '`runs.delete` needs `{ all: true }`, or `{ olderThanMs }` with or without a `state`.'
  throw new ConfigurationError({ message })
}

async function deleteRun(
  key: string,
  wanted: RunsToDelete,
  context: RunsContext,
): Promise<'deleted' | 'kept' | undefined> {
  const latest = await latestAttempt(key, context)
  if (latest === undefined || !isWanted(latest.run, wanted)) return undefined
  if (latest.run.state === 'running') return 'kept'
  for (let attempt = latest.attempt; attempt >= 1; attempt -= 1) {
    if (!(await deleteAttempt(attemptId(key, attempt), context))) return 'kept'
  }
  return 'deleted'
}

function isWanted(run: Run, { all, state, olderThanMs = 0 }: RunsToDelete): boolean {
  if (all) return true
  return isEnded(run) && (state ?? run.state) === run.state && Date.now() - (run.endedAt ?? 0) >= olderThanMs
}

/** Deletes an attempt. A call that dies in between is repeated: the outcome, or what leads to the run, goes last. */
async function deleteAttempt(id: string, { engine, queues }: RunsContext): Promise<boolean> {
  // What is locked right now is about to be sent.
  if ((await engine.get(queues.submit, id)) !== undefined && !(await engine.remove(queues.submit, id))) return false
  const resubmits = await engine.total(queues.resubmits(id))
  for (let resubmit = 0; resubmit <= resubmits; resubmit += 1) {
    await engine.release(queues.credits, partOf(id, resubmit))
    await engine.release(queues.resubmits(id), String(resubmit))
  }
  await engine.release(queues.places, id)
  const marks = [queues.retried, queues.cancels, queues.unsent, ...Object.values(queues.ends)]
  for (const queue of [...marks, queues.poll, queues.outcomes]) await engine.remove(queue, id)
  return true
}
