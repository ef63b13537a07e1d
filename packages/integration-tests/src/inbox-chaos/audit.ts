import type { InboxRecord } from 'modelrun/webhooks'
import type { JournalEntry } from './journal.ts'
import { TIMES } from './receiver-settings.ts'

/** What the journal and the store say of all jobs. Lists are of the jobs that went wrong. */
export interface Audit {
  /** Not done in the store, or done without a completion. */
  lost: string[]
  /** The store accepted two completions. */
  completedTwice: string[]
  /** Somebody got it after it was completed. */
  takenAfterDone: string[]
  /** Two workers had it at the same time, and to both of them the lease was good. */
  overlaps: string[]
  attempts: number
  crashes: number
  stalls: number
  throws: number
  /** Completions that came too late, and that the store refused. */
  staleRefused: number
  /** Jobs whose result was found by looking at them. */
  reconciled: number
}

/** Stores count whole milliseconds. */
const STORE_TICK_MS = 1

/** One worker's time with a job. */
interface Span {
  fence: number
  /** When its claim was sent, and when the answer came: from then on it works. */
  sentAtMs: number
  fromMs: number
  /** When the lease ends that the store has granted, counted as the inbox does. */
  untilMs: number
  /** When it gave the lease back. */
  endingAtMs?: number
  completedAtMs?: number
}

export function auditJournal(
  entries: readonly JournalEntry[],
  records: ReadonlyMap<string, InboxRecord | undefined>,
): Audit {
  const spans = spansByJob(entries)
  const jobs = [...records.keys()]
  const spansOf = (job: string) => spans.get(job) ?? []
  const count = (what: JournalEntry['what']) => entries.filter((entry) => entry.what === what).length
  const polled = entries.filter((entry) => entry.what === 'began' && entry.source === 'poll')
  return {
    lost: jobs.filter((job) => completions(spansOf(job), records.get(job)).size === 0 || !isDone(records.get(job))),
    completedTwice: jobs.filter((job) => completions(spansOf(job), records.get(job)).size > 1),
    takenAfterDone: jobs.filter((job) => isTakenAfterDone(spansOf(job))),
    overlaps: jobs.filter((job) => isOverlapping(spansOf(job))),
    attempts: count('began'),
    crashes: count('crashes'),
    stalls: count('stalls'),
    throws: count('throws'),
    staleRefused: count('refused'),
    reconciled: new Set(polled.map(({ job }) => job)).size,
  }
}

function spansByJob(entries: readonly JournalEntry[]): Map<string, Span[]> {
  const byJob = new Map<string, Span[]>()
  const byRun = new Map<string, Span>()
  for (const entry of entries) {
    const run = `${entry.job} ${entry.fence} ${entry.pid}`
    const span = byRun.get(run)
    if (entry.what === 'claimed') {
      const { fence, sentAtMs, atMs: fromMs } = entry
      const begun: Span = { fence, sentAtMs, fromMs, untilMs: sentAtMs + TIMES.leaseMs }
      byRun.set(run, begun)
      byJob.set(entry.job, [...(byJob.get(entry.job) ?? []), begun])
    }
    if (span === undefined) continue
    if (entry.what === 'extended') span.untilMs = Math.max(span.untilMs, entry.sentAtMs + TIMES.leaseMs)
    if (entry.what === 'ending') span.endingAtMs = entry.atMs
    if (entry.what === 'completed') span.completedAtMs = entry.atMs
  }
  return byJob
}

function isDone(record: InboxRecord | undefined): boolean {
  return record?.state === 'done'
}

/** Completions that the store accepted. The worker may have died before it could note that: its fence tells it. */
function completions(spans: readonly Span[], record: InboxRecord | undefined): Set<Span> {
  const noted = spans.filter(({ completedAtMs }) => completedAtMs !== undefined)
  const last = spans.filter(({ fence, endingAtMs }) => fence === record?.fence && endingAtMs !== undefined)
  return new Set([...noted, ...(isDone(record) ? last : [])])
}

function isTakenAfterDone(spans: readonly Span[]): boolean {
  const doneAtMs = Math.min(...spans.map(({ completedAtMs = Number.POSITIVE_INFINITY }) => completedAtMs))
  return spans.some(({ sentAtMs }) => sentAtMs > doneAtMs)
}

function isOverlapping(spans: readonly Span[]): boolean {
  const sorted = spans.toSorted((a, b) => a.fromMs - b.fromMs)
  let validUntilMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, untilMs, endingAtMs = Number.POSITIVE_INFINITY } of sorted) {
    if (fromMs < validUntilMs - STORE_TICK_MS) return true
    validUntilMs = Math.max(validUntilMs, Math.min(untilMs, endingAtMs))
  }
  return false
}
