import type { TaskRecord } from '../engine/engine.ts'
import { attemptId, keyOf } from './attempts.ts'
import { type FinishedRun, isEnded, type Outcome, type PollData, type Run, type SubmitData } from './run-types.ts'
import { fromJson, type RunsContext } from './runs-context.ts'
import { sleep } from './sleep.ts'
import { StoreReads } from './store-reads.ts'

const PAGE = 100
export const READ_EVERY_MS = 200

/** An attempt of a run. */
export interface Attempt {
  /** Its id in the queues. */
  id: string
  /** From 1. */
  attempt: number
  run: Run
}

/** Reads a run by its key; `undefined` when it was never added. */
export async function readRun(key: string, context: RunsContext): Promise<Run | undefined> {
  return (await latestAttempt(key, context))?.run
}

/** Reads the latest attempt of a run; `undefined` when it was never added. */
export async function latestAttempt(key: string, context: RunsContext): Promise<Attempt | undefined> {
  let latest: Attempt | undefined
  for (let attempt = 1; ; attempt += 1) {
    const id = attemptId(key, attempt)
    const run = await readAttempt(id, context)
    if (run === undefined) return latest
    latest = { id, attempt, run }
    // Only a run that has ended, and did not succeed, is retried.
    if (!isEnded(run) || run.state === 'succeeded') return latest
  }
}

/** Reads an attempt by its id; `undefined` when it was never added. */
export async function readAttempt(id: string, { engine, queues }: RunsContext): Promise<Run | undefined> {
  const submitted = await engine.get(queues.submit, id)
  const outcome = await engine.get(queues.outcomes, id)
  if (outcome !== undefined) return { key: keyOf(id), ...endOf(outcome, submitted) }
  if (submitted === undefined) return undefined
  const run = { key: keyOf(id), ...fromJson<SubmitData>(submitted.data) }
  const polled = await engine.get(queues.poll, id)
  if (polled !== undefined) {
    const { jobId } = fromJson<PollData>(polled.data)
    return polled.state === 'dead'
      ? { ...run, state: 'unknown', jobId, error: polled.error }
      : { ...run, state: 'running', jobId }
  }
  if (submitted.state === 'dead') return { ...run, state: 'unknown', error: submitted.error }
  return { ...run, state: submitted.state === 'waiting' ? 'waiting' : 'running' }
}

/** The members of a run that has ended. One that was cancelled before it was sent has its model and input in its outcome. */
function endOf({ data }: TaskRecord, submitted: TaskRecord | undefined): Omit<FinishedRun, 'key' | 'cursor'> {
  const { model = '', input = {}, ...end }: Outcome & Partial<SubmitData> = fromJson<Outcome>(data)
  const { maxCredits: _, ...members } = { maxCredits: undefined, ...end }
  return { ...(submitted === undefined ? { model, input } : fromJson<SubmitData>(submitted.data)), ...members }
}

/** Yields finished runs in the order of their ends, until no run is open. */
export async function* readResults(
  { after, signal }: { after?: string | undefined; signal?: AbortSignal | undefined },
  context: RunsContext,
): AsyncGenerator<FinishedRun> {
  const { engine, queues } = context
  const reads = new StoreReads(context.onError, signal)
  let cursor = after
  for (;;) {
    // Read before the list: a run leaves one queue only after it is in the next one.
    const isOpen = await hasOpenRuns(context, reads)
    const page = await reads.repeat(() => engine.list(queues.outcomes, 'waiting', { limit: PAGE, after: cursor }))
    const runs = await reads.repeat(() => Promise.all(page.map((record) => finishedRun(record, context))))
    yield* runs
    cursor = page.at(-1)?.cursor ?? cursor
    if (page.length > 0) continue
    if (!isOpen) return
    await sleep(READ_EVERY_MS, signal)
  }
}

async function finishedRun(record: TaskRecord, { engine, queues }: RunsContext): Promise<FinishedRun> {
  const submitted = await engine.get(queues.submit, record.id)
  return { key: keyOf(record.id), cursor: record.cursor, ...endOf(record, submitted) }
}

async function hasOpenRuns({ engine, queues }: RunsContext, reads: StoreReads): Promise<boolean> {
  for (const queue of [queues.submit, queues.poll]) {
    // Reads `waiting` twice: a task may change from running to waiting in between.
    for (const state of ['waiting', 'running', 'waiting'] as const) {
      const open = await reads.repeat(() => engine.list(queue, state, { limit: 1 }))
      if (open.length > 0) return true
    }
  }
  return false
}
