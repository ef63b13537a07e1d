import type { TaskState } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { deleteRest, latestAttempt, readAttempt } from './read-runs.ts'
import { attemptId, type EndState, isEnded, keyOf, type Run } from './run-types.ts'
import { decide, type RunsContext } from './runs-context.ts'

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
  const deleteList = async (queue: string, state: TaskState) => {
    let after: string | undefined
    for (;;) {
      const page = await engine.list(queue, state, { limit: PAGE, after })
      if (page.length === 0) return
      const before = counts.deleted.size
      for (const { id } of page) {
        const key = keyOf(id)
        const done = await decide(key, () => deleteListed(id, wanted, context), context)
        if (done !== undefined) counts[done].add(key)
      }
      // Where cursors are numbers of places, those of the rest have changed: the page is read again.
      if (counts.deleted.size === before) after = page.at(-1)?.cursor
    }
  }
  await deleteList(queues.outcomes, 'waiting')
  for (const state of ['dead', 'waiting', 'running'] as const) {
    for (const queue of [queues.poll, queues.submit]) await deleteList(queue, state)
  }
  return { deleted: counts.deleted.size, kept: counts.kept.size }
}

function check({ all, state, olderThanMs }: RunsToDelete): void {
  const isAll = all === true && state === undefined && olderThanMs === undefined
  if (isAll || (!all && olderThanMs !== undefined)) return
  const message = '`runs.delete` needs `{ all: true }`, or `{ olderThanMs }` with or without a `state`.'
  throw new ConfigurationError({ message })
}

/** Deletes a run by one of its attempts. */
async function deleteListed(
  id: string,
  wanted: RunsToDelete,
  context: RunsContext,
): Promise<'deleted' | 'kept' | undefined> {
  const key = keyOf(id)
  // An earlier call died while it deleted this attempt.
  const isHalf = (await readAttempt(id, context)) === undefined
  if (isHalf) await deleteRest(id, context)
  const latest = await latestAttempt(key, context)
  if (latest === undefined) return isHalf ? 'deleted' : undefined
  if (!isWanted(latest.run, wanted)) return undefined
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
async function deleteAttempt(id: string, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const submitted = await engine.get(queues.submit, id)
  // Leads a later call to what is left of a run that has no end.
  if (submitted?.state === 'dead') await engine.add(queues.outcomes, id, { data: {} })
  // What is locked right now is about to be sent.
  if (submitted !== undefined && !(await engine.remove(queues.submit, id))) return false
  // It is not the end of a run any more, whatever happens before it is removed.
  await engine.update(queues.outcomes, id, {})
  await deleteRest(id, context)
  return true
}
