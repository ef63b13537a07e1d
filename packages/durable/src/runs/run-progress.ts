import type { TaskState } from '../engine/engine.ts'
import { isPaused } from './pause-runs.ts'
import type { RunsProgress } from './run-types.ts'
import type { RunsContext } from './runs-context.ts'

/**
 * Reads the progress of a batch. A run that moves on while the queues are counted is in two of them: each number is cut to what
 * the others leave of the total, so that no run counts twice.
 *
 * @param speedOf returns runs per millisecond, if known
 */
export async function readProgress(
  context: RunsContext,
  speedOf: (done: number) => number | undefined,
): Promise<RunsProgress> {
  const { engine, queues } = context
  // First the ends: a run that ends from now on counts as running.
  const ended = sum(await engine.count(queues.outcomes))
  const polls = await engine.count(queues.poll)
  const submits = await engine.count(queues.submit)
  const retried = sum(await engine.count(queues.retried))
  const unsent = sum(await engine.count(queues.unsent))
  const total = Math.max(0, sum(submits) + unsent - retried)
  const done = within(ended - retried, total)
  const unknown = within(submits.dead + polls.dead, total - done)
  const waiting = within(submits.waiting, total - done - unknown)
  const speed = speedOf(done)
  const left = total - done - unknown
  return {
    total,
    waiting,
    running: left - waiting,
    done,
    unknown,
    oldestDueMs: await engine.oldestDueMs(queues.submit),
    isPaused: await isPaused(context),
    credits: (await engine.tally(queues.credits, 0)) ?? 0,
    msLeft: left <= 0 ? 0 : speed === undefined ? undefined : Math.round(left / speed),
  }
}

function sum(counts: Readonly<Record<TaskState, number>>): number {
  return counts.waiting + counts.running + counts.done + counts.dead
}

function within(value: number, most: number): number {
  return Math.min(Math.max(0, value), Math.max(0, most))
}

/** Measures how fast runs end, in runs per millisecond since the first call. */
export function speedMeter(): (done: number) => number | undefined {
  let first: { at: number; done: number } | undefined
  return (done) => {
    const at = performance.now()
    first ??= { at, done }
    return done > first.done ? (done - first.done) / (at - first.at) : undefined
  }
}
