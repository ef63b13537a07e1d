import type { TaskRecord } from '@modelrun/kit'
import type { JournalEntry } from './journal.ts'

/**
 * What must never happen.
 *
 * - `lost`: the job is not done in the engine, or has no effect
 * - `dead wrongly`: a dead letter, of a handler that did not fail for good or eight times, and did not end four processes
 * - `twice`: two effects under one key
 * - `overlap`: two workers had the job at once, and to both the lock was good
 * - `late`: the user's handler started when the lock was over
 * - `forged`: the handler got what the service did not say, or the context of another job
 * - `invented`: the handler got a job that the service does not have
 */
type ViolationKind = 'lost' | 'dead wrongly' | 'twice' | 'overlap' | 'late' | 'forged' | 'invented'

export interface Violation {
  kind: ViolationKind
  job: string
  /** What happened to the job, for people. */
  timeline: string
}

export interface Evidence {
  entries: readonly JournalEntry[]
  /** What the engine has of each job in the end. */
  records: ReadonlyMap<string, TaskRecord | undefined>
  effects: ReadonlyMap<string, number>
  /** Whether the handler of a job fails for good. */
  isHopeless(job: string): boolean
}

/** A handler that failed so often makes a dead letter. */
const ATTEMPTS = 8

/** A task that lost its process four times is dead, as the engines say. One may have ended before it could note its lock. */
const SEEN_DEATHS = 3

/** Clocks of databases count whole milliseconds, and a lock counts from a moment before the engine was asked for it. */
const TICK_MS = 2

export function audit({ entries, records, effects, isHopeless }: Evidence): Violation[] {
  const histories = byJob(entries)
  const violations = [...records].flatMap(([job, record]) => {
    const history = histories.get(job) ?? []
    const count = effects.get(job) ?? 0
    const dead = { isHopeless: isHopeless(job), history, record }
    const kinds: Record<Exclude<ViolationKind, 'invented'>, boolean> = {
      lost: record?.state === 'dead' ? false : record?.state !== 'done' || count === 0,
      'dead wrongly': record?.state === 'dead' && !isRightlyDead(dead),
      twice: count > 1,
      overlap: isOverlapping(history),
      late: history.some((entry) => entry.what === 'started' && entry.isLate),
      forged: history.some((entry) => entry.what === 'started' && entry.isForged),
    }
    // The keys are those of the literal above.
    const found = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => kinds[kind])
    return found.map((kind) => ({ kind, job, timeline: timelineOf(record, history) }))
  })
  const invented = [...histories].filter(
    ([job, all]) => !records.has(job) && all.some(({ what }) => what === 'started'),
  )
  return [
    ...violations,
    ...invented.map(([job, history]) => ({ kind: 'invented' as const, job, timeline: timelineOf(undefined, history) })),
  ]
}

function byJob(entries: readonly JournalEntry[]): Map<string, JournalEntry[]> {
  const histories = new Map<string, JournalEntry[]>()
  for (const entry of entries) {
    const history = histories.get(entry.job) ?? []
    history.push(entry)
    histories.set(entry.job, history)
  }
  return histories
}

interface Dead {
  isHopeless: boolean
  history: readonly JournalEntry[]
  record: TaskRecord | undefined
}

function isRightlyDead({ isHopeless, history, record }: Dead): boolean {
  if (isHopeless || countFailures(history) >= ATTEMPTS) return true
  return record?.error?.code === 'process_died' && countDeaths(history) >= SEEN_DEATHS
}

function countFailures(history: readonly JournalEntry[]): number {
  return runsOf(history).filter(({ how }) => how === 'failed').length
}

/** Runs that may have lost their process: all but those that failed in time, which the engine knows. */
function countDeaths(history: readonly JournalEntry[]): number {
  return runsOf(history).filter(({ how, untilMs, endedAtMs }) => how !== 'failed' || endedAtMs > untilMs).length
}

interface LockedRun {
  fence: number
  fromMs: number
  /** Until when the lock held at least. */
  untilMs: number
  endedAtMs: number
  how?: 'done' | 'failed' | 'aborted'
}

function runsOf(history: readonly JournalEntry[]): LockedRun[] {
  const runs = new Map<string, LockedRun>()
  for (const entry of history) {
    const { fence, pid, atMs } = entry
    const key = `${fence} ${pid}`
    const run = runs.get(key)
    if (entry.what === 'locked') {
      runs.set(key, { fence, fromMs: atMs, untilMs: entry.untilMs, endedAtMs: Number.POSITIVE_INFINITY })
    }
    if (run !== undefined && entry.what === 'renewed') run.untilMs = Math.max(run.untilMs, entry.untilMs)
    if (run !== undefined && entry.what === 'ended') Object.assign(run, { endedAtMs: atMs, how: entry.how })
  }
  return [...runs.values()].toSorted((a, b) => a.fromMs - b.fromMs)
}

function isOverlapping(history: readonly JournalEntry[]): boolean {
  let heldUntilMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, untilMs, endedAtMs } of runsOf(history)) {
    if (fromMs >= untilMs) continue
    if (fromMs < heldUntilMs - TICK_MS) return true
    heldUntilMs = Math.max(heldUntilMs, Math.min(untilMs, endedAtMs))
  }
  return false
}

function timelineOf(record: TaskRecord | undefined, history: readonly JournalEntry[]): string {
  const zeroMs = history[0]?.atMs ?? 0
  const lines = history
    .filter(({ what }) => what !== 'renewed')
    .map(({ what, fence, pid, atMs }) => `${what} (fence ${fence}, process ${pid}) at ${(atMs - zeroMs).toFixed(1)} ms`)
  const state = record === undefined ? 'not in the engine' : `${record.state} ${record.error?.message ?? ''}`
  return [`in the end ${state}`, ...lines].join('; ')
}
