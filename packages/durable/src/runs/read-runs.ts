import { sleep, stringIn, systemClock, type TaskRecord, type TaskState, untilStored } from '@modelrun/kit'
import { AbortedError, ModelRunError } from 'modelrun'
import { isPaused } from './pauses.ts'
import {
  attemptId,
  type EndState,
  type FinalEnd,
  type FinishedRun,
  isEnded,
  keyOf,
  NO_REASON,
  type Outcome,
  type PollData,
  type Run,
  type RunBase,
  type RunsProgress,
  type SubmitData,
} from './run-types.ts'
import { BACKOFF, fromJson, type RunsContext, reportFailure } from './runs-context.ts'

/** Outputs may have files of megabytes in them. */
const PAGE = 10
export const READ_EVERY_MS = 200

export interface Attempt {
  /** Its id in the queues. */
  id: string
  /** From 1. */
  attempt: number
  run: Run
}

export async function readRun(key: string, context: RunsContext): Promise<Run | undefined> {
  return (await latestAttempt(key, context))?.run
}

/** Reads the latest attempt of a run; `undefined` when it was never added, or is being deleted, which `onDeleted` completes. */
export async function latestAttempt(
  key: string,
  context: RunsContext,
  onDeleted?: (key: string, context: RunsContext) => Promise<void>,
): Promise<Attempt | undefined> {
  let latest: Attempt | undefined
  for (let attempt = 1; ; attempt += 1) {
    const id = attemptId(key, attempt)
    const run = await readAttempt(id, context, onDeleted)
    if (run === undefined) return latest
    latest = { id, attempt, run }
    // Only a run that has ended, and did not succeed, is retried.
    if (!isEnded(run) || run.state === 'succeeded') return latest
  }
}

/** Reads an attempt by its id; `undefined` when it was never added, or is being deleted. */
export async function readAttempt(
  id: string,
  context: RunsContext,
  onDeleted?: (id: string, context: RunsContext) => Promise<void>,
): Promise<Run | undefined> {
  const { engine, queues } = context
  const names = [queues.submit, queues.outcomes, queues.poll].map((queue) => ({ queue, id }))
  const [submitted, outcome, polled] = await engine.getAll(names)
  if (isDeleted(submitted)) {
    await onDeleted?.(id, context)
    return undefined
  }
  const end = outcome && endOf(outcome, submitted)
  if (end) return { key: keyOf(id), ...end }
  if (submitted === undefined) return undefined
  const run = { key: keyOf(id), ...fromJson<SubmitData>(submitted.data), ...timesOf(submitted) }
  if (polled !== undefined) {
    const { jobId, requestId } = fromJson<PollData>(polled.data)
    return polled.state === 'dead'
      ? { ...run, state: 'unknown', jobId, requestId, error: polled.error ?? NO_REASON }
      : { ...run, state: 'running', jobId, requestId }
  }
  if (submitted.state === 'dead') return { ...run, state: 'unknown', error: submitted.error ?? NO_REASON }
  return { ...run, state: submitted.state === 'waiting' ? 'waiting' : 'running' }
}

/** Whether the run is being deleted: nothing of it counts any more. */
export function isDeleted(submitted: Pick<TaskRecord, 'data'> | undefined): boolean {
  return submitted !== undefined && stringIn(submitted.data, 'model') === undefined
}

/** When a run was added and sent. A mark of a run that waits again is of an attempt that was not sent. */
function timesOf(submitted: TaskRecord | undefined): Pick<Run, 'addedAt' | 'sentAt'> {
  if (submitted === undefined) return {}
  const { addedAt, startedAt, state } = submitted
  return { addedAt, sentAt: state === 'waiting' ? undefined : startedAt }
}

/** The members of a run that has ended. One that was cancelled before it was sent has its model and input in its outcome. */
function endOf(
  { data, addedAt: endedAt }: TaskRecord,
  submitted: TaskRecord | undefined,
): (Omit<RunBase, 'key'> & FinalEnd) | undefined {
  const { model, input, ...end }: Outcome & Partial<SubmitData> = fromJson<Outcome>(data)
  const { maxCredits: _, took: __, ...members } = { maxCredits: undefined, ...end }
  const own = model === undefined || input === undefined ? undefined : { model, input }
  const run = submitted === undefined ? own : fromJson<SubmitData>(submitted.data)
  return run && { ...run, ...timesOf(submitted), ...members, endedAt }
}

export type Reads = <Value>(read: () => Promise<Value>) => Promise<Value>

/**
 * Returns the reads of a loop. They are repeated while the store fails, so that the loop outlives a restart of it. A store that
 * has never responded is a mistake of the program, such as a forgotten `setup()`: then the first failure ends the loop.
 */
export function createReads(context: RunsContext, signal: AbortSignal | undefined): Reads {
  const { known } = context
  return async (read) => {
    const value = await untilStored(read, {
      ...BACKOFF,
      signal,
      onError: (error) => {
        if (!known.hasResponded || error instanceof ModelRunError) throw error
        reportFailure(error, context)
      },
    })
    known.hasResponded = true
    return value
  }
}

/** Yields finished runs in the order of their ends, until no run is open. */
export async function* readResults(
  { after, signal }: { after?: string | undefined; signal?: AbortSignal | undefined },
  context: RunsContext,
): AsyncGenerator<FinishedRun> {
  const { engine, queues } = context
  const reads = createReads(context, signal)
  let cursor = after
  try {
    for (;;) {
      // Read before the list: a run leaves one queue only after it is in the next one.
      const isOpen = await hasOpenRuns(context, reads)
      const page = await reads(() => engine.list(queues.outcomes, 'waiting', { limit: PAGE, after: cursor }))
      const runs = await Promise.all(page.map((record) => reads(() => finishedRun(record, context))))
      for (const run of runs) if (run !== undefined) yield run
      cursor = page.at(-1)?.cursor ?? cursor
      if (page.length > 0) continue
      if (!isOpen) return
      await sleep(systemClock, READ_EVERY_MS, signal)
    }
  } catch (error) {
    throw signal?.aborted ? abortedCall(signal.reason) : error
  }
}

export function abortedCall(cause: unknown): AbortedError {
  const message = 'The call was aborted. Its runs stay in the batch: the same call continues them.'
  return new AbortedError({ message, cause, submission: 'unknown' })
}

async function finishedRun(record: TaskRecord, { engine, queues }: RunsContext): Promise<FinishedRun | undefined> {
  const submitted = await engine.get(queues.submit, record.id)
  const end = isDeleted(submitted) ? undefined : endOf(record, submitted)
  return end && { key: keyOf(record.id), cursor: record.cursor, ...end }
}

async function hasOpenRuns({ engine, queues }: RunsContext, reads: Reads): Promise<boolean> {
  const names = [queues.submit, queues.poll]
  for (const queue of names) {
    for (const state of ['waiting', 'running'] as const) {
      const open = await reads(() => engine.list(queue, state, { limit: 1 }))
      if (open.length > 0) return true
    }
  }
  // A task that moves between two lists is in neither. A count is of one moment, and takes longer.
  for (const queue of names) {
    const { waiting, running } = await reads(() => engine.count(queue))
    if (waiting + running > 0) return true
  }
  return false
}

/**
 * Reads the progress of a batch. A run that moves on while the queues are counted is in two of them: each number is cut to what
 * the others leave of the total, so that no run counts twice.
 */
export async function readProgress(context: RunsContext): Promise<RunsProgress> {
  const { engine, queues } = context
  // First the ends: a run that ends from now on counts as running.
  const ended = sum(await engine.count(queues.outcomes))
  const polls = await engine.count(queues.poll)
  const submits = await engine.count(queues.submit)
  const retried = sum(await engine.count(queues.retried))
  const [failed, cancelled, rejected] = await Promise.all(
    [queues.ends.failed, queues.ends.cancelled, queues.ends.rejected].map(async (queue) =>
      sum(await engine.count(queue)),
    ),
  )
  const unsent = sum(await engine.count(queues.unsent))
  const total = Math.max(0, sum(submits) + unsent - retried)
  const done = within(ended - retried, total)
  const unknown = within(submits.dead + polls.dead, total - done)
  const waiting = within(submits.waiting, total - done - unknown)
  const left = total - done - unknown
  return {
    total,
    waiting,
    running: left - waiting,
    done,
    ...endsOf(done, { failed, cancelled, rejected }),
    unknown,
    oldestDueMs: Math.max(0, -((await engine.msUntilDue(queues.submit)) ?? 0)),
    isPaused: await isPaused(context),
    credits: await engine.total(queues.credits),
  }
}

/** How the runs ended that have. A run that ends while they are counted is in one of them. */
function endsOf(
  done: number,
  { failed = 0, cancelled = 0, rejected = 0 }: Partial<Record<EndState, number | undefined>>,
) {
  const ends = { failed: within(failed, done), cancelled: within(cancelled, done), rejected: within(rejected, done) }
  return { ...ends, succeeded: within(done - ends.failed - ends.cancelled - ends.rejected, done) }
}

function sum(counts: Readonly<Record<TaskState, number>>): number {
  return counts.waiting + counts.running + counts.done + counts.dead
}

function within(value: number, most: number): number {
  return Math.min(Math.max(0, value), Math.max(0, most))
}
