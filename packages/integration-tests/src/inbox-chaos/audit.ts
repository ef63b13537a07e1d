import type { InboxRecord } from 'modelrun/webhooks'
import type { JournalEntry } from './journal.ts'
import { describeSpan, type Span, spansByJob } from './spans.ts'

/**
 * What must never happen. `lost`: the job is not done in the store, or done without a completion. `not_recovered`: its
 * delivery was dropped, and nobody looked for its result. `completed_twice`: the store accepted two completions.
 * `taken_after_done`: somebody got it after it was completed. `overlap`: two workers had it at the same time, and to
 * both of them the lease was good.
 */
export type ViolationKind = 'lost' | 'not_recovered' | 'completed_twice' | 'taken_after_done' | 'overlap'

export interface Violation {
  kind: ViolationKind
  job: string
  /** Who had the job and when, for people. */
  story: string
}

/** What the journal and the store say of all jobs. */
export interface Audit {
  violations: Violation[]
  /** Runs of handlers, and what was done to them. */
  attempts: number
  crashes: number
  stalls: number
  throws: number
  /** Completions that came too late, and that the store refused. */
  staleRefused: number
  /** Jobs whose result was found by looking at them. */
  reconciled: number
}

export interface Evidence {
  entries: readonly JournalEntry[]
  /** What the store has of each job in the end. */
  records: ReadonlyMap<string, InboxRecord | undefined>
  /** Jobs whose delivery was dropped on purpose. */
  dropped: ReadonlySet<string>
}

/** Stores count whole milliseconds. */
const STORE_TICK_MS = 1

export function audit({ entries, records, dropped }: Evidence): Audit {
  const spans = spansByJob(entries)
  const polled = new Set(entries.filter((entry) => entry.what === 'began' && entry.source === 'poll').map(jobOf))
  const count = (what: JournalEntry['what']) => entries.filter((entry) => entry.what === what).length
  const violations = [...records].flatMap(([job, record]) => {
    const history: History = {
      spans: spans.get(job) ?? [],
      record,
      isUnrecovered: dropped.has(job) && !polled.has(job),
    }
    return kindsOf(history).map((kind) => ({ kind, job, story: tell(history) }))
  })
  return {
    violations,
    attempts: count('began'),
    crashes: count('crashes'),
    stalls: count('stalls'),
    throws: count('throws'),
    staleRefused: count('refused'),
    reconciled: polled.size,
  }
}

/** What is known of one job. */
interface History {
  spans: readonly Span[]
  record: InboxRecord | undefined
  isUnrecovered: boolean
}

function kindsOf(history: History): ViolationKind[] {
  const completed = completions(history).size
  const kinds: Record<ViolationKind, boolean> = {
    lost: completed === 0 || !isDone(history),
    not_recovered: history.isUnrecovered,
    completed_twice: completed > 1,
    taken_after_done: isTakenAfterDone(history),
    overlap: isOverlapping(history),
  }
  // The keys are those of the literal above.
  return (Object.keys(kinds) as ViolationKind[]).filter((kind) => kinds[kind])
}

function tell({ spans, record }: History): string {
  const zeroMs = spans[0]?.sentAtMs ?? 0
  const state = record === undefined ? 'not in the store' : `${record.state} with fence ${record.fence}`
  return [`in the end ${state}`, ...spans.map((span) => describeSpan(span, zeroMs))].join('; ')
}

function jobOf({ job }: JournalEntry): string {
  return job
}

function isDone({ record }: History): boolean {
  return record?.state === 'done'
}

/** Completions that the store accepted. The worker may have died before it could note that: its fence tells it. */
function completions(history: History): Set<Span> {
  const { spans, record } = history
  const noted = spans.filter(({ completedAtMs }) => completedAtMs !== undefined)
  const last = spans.filter(({ fence, endingAtMs }) => fence === record?.fence && endingAtMs !== undefined)
  return new Set([...noted, ...(isDone(history) ? last : [])])
}

function isTakenAfterDone({ spans }: History): boolean {
  const doneAtMs = Math.min(...spans.map(({ completedAtMs = Number.POSITIVE_INFINITY }) => completedAtMs))
  return spans.some(({ sentAtMs }) => sentAtMs > doneAtMs)
}

function isOverlapping({ spans }: History): boolean {
  let validUntilMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, untilMs, endingAtMs = Number.POSITIVE_INFINITY } of spans.toSorted(byBegin)) {
    // Its process stood still until the lease had ended: the inbox knows, and does not begin.
    if (fromMs >= untilMs) continue
    if (fromMs < validUntilMs - STORE_TICK_MS) return true
    validUntilMs = Math.max(validUntilMs, Math.min(untilMs, endingAtMs))
  }
  return false
}

function byBegin(a: Span, b: Span): number {
  return a.fromMs - b.fromMs
}
