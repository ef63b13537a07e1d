import { sleep, systemClock, type TaskHandler, type TaskRecord, type TaskState } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { eachRun } from './list-runs.ts'
import { type Attempt, isDeleted, latestAttempt, readAttempt } from './read-runs.ts'
import { attemptBefore, type EndState, isEnded, nextAttemptId, type Run } from './run-types.ts'
import type { RunsContext } from './runs-context.ts'
import { DECISION_MS, decide, FIRST_WAIT_MS, partOf, resubmitsOf, settleEnd, workNow } from './runs-context.ts'

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
  const deleteOne = async (key: string) => {
    const done = await decide(key, (guarded) => deleteRun(key, guarded, wanted), context)
    if (done !== undefined) counts[done].add(key)
  }
  const deleteList = async (queue: string, state: TaskState) => {
    let after: string | undefined
    for (;;) {
      const page = await engine.list(queue, state, { limit: PAGE, after })
      if (page.length === 0) return
      const before = counts.deleted.size
      await eachRun(page, new Set(), deleteOne)
      // Where cursors are numbers of places, those of the rest have changed: the page is read again.
      if (counts.deleted.size === before) after = page.at(-1)?.cursor
    }
  }
  await deleteList(queues.outcomes, 'waiting')
  for (const state of ['dead', 'waiting', 'running'] as const) {
    for (const queue of [queues.poll, queues.submit]) await deleteList(queue, state)
  }
  // What calls that died, or failed, have left.
  for (const state of ['running', 'waiting'] as const) await deleteList(queues.decisions, state)
  return { deleted: counts.deleted.size, kept: counts.kept.size }
}

function check({ all, state, olderThanMs }: RunsToDelete): void {
  const isAll = all === true && state === undefined && olderThanMs === undefined
  if (isAll || (!all && olderThanMs !== undefined)) return
  const message = '`runs.delete` needs `{ all: true }`, or `{ olderThanMs }` with or without a `state`.'
  throw new ConfigurationError({ message })
}

function isWanted(run: Run, { all, state, olderThanMs = 0 }: RunsToDelete): boolean {
  if (all) return true
  return isEnded(run) && (state ?? run.state) === run.state && Date.now() - (run.endedAt ?? 0) >= olderThanMs
}

/** Completes the deletion of a run by a process that died, or failed: its key is added again. */
export async function completeDeletion(key: string, context: RunsContext): Promise<void> {
  while ((await decide(key, (guarded) => deleteRun(key, guarded), context)) === 'kept')
    await sleep(systemClock, FIRST_WAIT_MS)
}

/** Deletes a run if it is wanted, or what is left of it. In a decision. */
async function deleteRun(
  key: string,
  context: RunsContext,
  wanted?: RunsToDelete,
): Promise<'deleted' | 'kept' | undefined> {
  const latest = await latestAttempt(key, context)
  if (latest !== undefined) {
    if (wanted === undefined || !isWanted(latest.run, wanted)) return undefined
    if (!(await markRun(latest, context))) return 'kept'
  } else await countBefore(key, context)
  const attempts = await storedFrom(key, context)
  // Without the mark, which is removed last, the key was added again since it was read: its run may be paid.
  if (!isDeleted(attempts.at(-1)?.submitted)) return undefined
  for (const attempt of attempts) if (!(await deleteAttempt(attempt, context))) return 'kept'
  return attempts.length === 0 ? undefined : 'deleted'
}

/** Counts the attempt before one that alone is deleted: the process that deletes the run has died in between. */
async function countBefore(id: string, context: RunsContext): Promise<void> {
  const before = attemptBefore(id)
  const run = before && (await readAttempt(before, context))
  if (!run || !isEnded(run)) return
  await context.engine.remove(context.queues.retried, id)
  await settleEnd(before, run.state, context)
}

/** From then on nothing of the run is read, sent or added, until all of it is deleted. Resolves to false when it is under way. */
async function markRun({ id, run }: Attempt, context: RunsContext): Promise<boolean> {
  if (run.state === 'running') return false
  for (const each of run.state === 'waiting' ? [id, run.key] : [run.key]) {
    if (!(await markDeleted(each, context))) return false
  }
  return true
}

/** Marks an attempt as deleted. Resolves to false when it is being sent. */
async function markDeleted(id: string, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const submitted = await engine.get(queues.submit, id)
  if (submitted === undefined) {
    // It was cancelled before it was sent. No worker takes the mark while this decision works.
    await engine.add(queues.submit, id, { data: {}, delayMs: DECISION_MS })
    return isDeleted(await engine.get(queues.submit, id))
  }
  if (isDeleted(submitted)) return true
  if (submitted.state === 'done' || submitted.state === 'dead') return engine.update(queues.submit, id, {})
  const handler: TaskHandler = async () => {
    await engine.update(queues.submit, id, {})
    return undefined
  }
  return (await workNow('submit', id, { handler, context })) && markDeleted(id, context)
}

/** The queues that have something of an attempt, in the order in which it is deleted: what says that it is deleted goes last. */
interface Stored {
  id: string
  queues: string[]
  submitted: TaskRecord | undefined
}

/** Returns what is stored of an attempt and of those after it, the last one first. */
async function storedFrom(id: string, context: RunsContext): Promise<Stored[]> {
  const { poll, retried, cancels, unsent, ends, outcomes, submit } = context.queues
  const names = [poll, retried, cancels, unsent, ...Object.values(ends), outcomes, submit]
  const records = await context.engine.getAll(names.map((queue) => ({ queue, id })))
  const queues = names.filter((_, at) => records[at] !== undefined)
  return queues.length === 0
    ? []
    : [...(await storedFrom(nextAttemptId(id), context)), { id, queues, submitted: records.at(-1) }]
}

/** Resolves to false when another process works on it. */
async function deleteAttempt({ id, queues: names }: Stored, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  // From the last one: a call that dies in between is repeated.
  for (let resubmit = await resubmitsOf(id, context); resubmit >= 0; resubmit -= 1) {
    await engine.release(queues.credits, partOf(id, resubmit))
    if (resubmit > 0) await engine.release(queues.resubmits(id), String(resubmit - 1))
  }
  await engine.release(queues.places, id)
  for (const queue of names) {
    if (!(await engine.remove(queue, id)) && (await engine.get(queue, id)) !== undefined) return false
  }
  return true
}
