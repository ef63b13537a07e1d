import type { TaskRecord } from '../engine/engine.ts'
import type { FinishedRun, Outcome, PollData, Run, RunsProgress, SubmitData } from './run-types.ts'
import { fromJson, type RunsContext } from './runs-context.ts'

const PAGE = 100
export const READ_EVERY_MS = 200

/** Reads a run by its key; `undefined` when it was never added. */
export async function readRun(key: string, { engine, queues }: RunsContext): Promise<Run | undefined> {
  const submitted = await engine.get(queues.submit, key)
  if (submitted === undefined) return undefined
  const run = { key, ...fromJson<SubmitData>(submitted.data) }
  const outcome = await engine.get(queues.outcomes, key)
  if (outcome !== undefined) return { ...run, ...fromJson<Outcome>(outcome.data) }
  const polled = await engine.get(queues.poll, key)
  if (polled !== undefined) {
    const { jobId } = fromJson<PollData>(polled.data)
    return { ...run, state: polled.state === 'dead' ? 'unknown' : 'running', jobId }
  }
  if (submitted.state === 'dead') return { ...run, state: 'unknown', error: submitted.error }
  return { ...run, state: submitted.state === 'waiting' ? 'waiting' : 'running' }
}

/** Yields finished runs in the order of their ends, until no run is open. */
export async function* readResults(
  { after, signal }: { after?: string | undefined; signal?: AbortSignal | undefined },
  context: RunsContext,
): AsyncGenerator<FinishedRun> {
  const { engine, queues } = context
  let cursor = after
  for (;;) {
    signal?.throwIfAborted()
    // Read before the list: a run leaves one queue only after it is in the next one.
    const isOpen = await hasOpenRuns(context)
    const page = await engine.list(queues.outcomes, 'waiting', { limit: PAGE, after: cursor })
    const runs = await Promise.all(page.map((record) => finishedRun(record, context)))
    yield* runs
    cursor = page.at(-1)?.cursor ?? cursor
    if (page.length > 0) continue
    if (!isOpen) return
    await sleep(READ_EVERY_MS, signal)
  }
}

async function finishedRun(record: TaskRecord, { engine, queues }: RunsContext): Promise<FinishedRun> {
  const submitted = await engine.get(queues.submit, record.id)
  const { model, input } = fromJson<SubmitData>(submitted?.data ?? { model: '', input: {} })
  return { key: record.id, model, input, cursor: record.cursor, ...fromJson<Outcome>(record.data) }
}

async function hasOpenRuns({ engine, queues }: RunsContext): Promise<boolean> {
  for (const queue of [queues.submit, queues.poll]) {
    // Reads `waiting` twice: a task may change from running to waiting in between.
    for (const state of ['waiting', 'running', 'waiting'] as const) {
      if ((await engine.list(queue, state, { limit: 1 })).length > 0) return true
    }
  }
  return false
}

/** @param speedOf returns runs per millisecond, if known */
export async function readProgress(
  context: RunsContext,
  speedOf: (done: number) => number | undefined,
): Promise<RunsProgress> {
  const { engine, queues } = context
  const submits = await engine.count(queues.submit)
  const polls = await engine.count(queues.poll)
  const unknown = submits.dead + polls.dead
  const { waiting: done } = await engine.count(queues.outcomes)
  const total = submits.waiting + submits.running + submits.done + submits.dead
  const running = submits.running + polls.waiting + polls.running
  const speed = speedOf(done)
  const left = total - done - unknown
  return {
    total,
    waiting: submits.waiting,
    running,
    done,
    unknown,
    credits: (await engine.tally(queues.credits, 0)) ?? 0,
    msLeft: left <= 0 ? 0 : speed === undefined ? undefined : Math.round(left / speed),
  }
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
