import type { JournalEntry } from './journal.ts'
import { TIMES } from './receiver-settings.ts'

/** One worker's time with a job. */
export interface Span {
  fence: number
  pid: number
  /** When its claim was sent, and when the answer came: from then on it works. */
  sentAtMs: number
  fromMs: number
  /** When the lease ends that the store has granted, counted as the inbox does. */
  untilMs: number
  /** When it gave the lease back. */
  endingAtMs?: number
  completedAtMs?: number
}

/** Who had which job, in the order of the journal. */
export function spansByJob(entries: readonly JournalEntry[]): Map<string, Span[]> {
  const byJob = new Map<string, Span[]>()
  const byRun = new Map<string, Span>()
  for (const entry of entries) {
    const run = `${entry.job} ${entry.fence} ${entry.pid}`
    if (entry.what === 'claimed') {
      const span = begin(entry)
      byRun.set(run, span)
      byJob.set(entry.job, [...(byJob.get(entry.job) ?? []), span])
    } else note(byRun.get(run), entry)
  }
  return byJob
}

function begin({ fence, pid, sentAtMs, atMs }: Extract<JournalEntry, { what: 'claimed' }>): Span {
  return { fence, pid, sentAtMs, fromMs: atMs, untilMs: sentAtMs + TIMES.leaseMs }
}

function note(span: Span | undefined, entry: JournalEntry): void {
  if (span === undefined) return
  if (entry.what === 'extended') span.untilMs = Math.max(span.untilMs, entry.sentAtMs + TIMES.leaseMs)
  if (entry.what === 'ending') span.endingAtMs = entry.atMs
  if (entry.what === 'completed') span.completedAtMs = entry.atMs
}

/** For people: times count from `zeroMs`. */
export function describeSpan(span: Span, zeroMs: number): string {
  const at = (ms: number) => `${(ms - zeroMs).toFixed(1)} ms`
  const ends = [`lease until ${at(span.untilMs)}`]
  if (span.endingAtMs !== undefined) ends.push(`given back at ${at(span.endingAtMs)}`)
  if (span.completedAtMs !== undefined) ends.push(`completed at ${at(span.completedAtMs)}`)
  return `fence ${span.fence}: process ${span.pid} has it from ${at(span.fromMs)}, ${ends.join(', ')}`
}
