import { openSync, readFileSync, writeSync } from 'node:fs'

/** What happened to one run of one job. */
type Fact =
  /** The engine gave the task to a worker, with a lock until then. */
  | { what: 'locked' | 'renewed'; untilMs: number }
  /** The worker gives the task back: to run again when it `failed`. */
  | { what: 'ended'; how: 'done' | 'failed' | 'aborted' }
  /** The user's handler starts. */
  | { what: 'started'; source: 'webhook' | 'poll'; isLate: boolean; isForged: boolean }
  /** What the handler does to its run. */
  | { what: 'throws' | 'hangs' | 'dies' | 'gives up' }

/** One line of the journal. Times are those of {@link monotonicMs}. */
export type JournalEntry = Fact & { job: string; fence: number; atMs: number; pid: number }

/** Milliseconds since the machine started: one clock for all processes, that no process sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export interface Journal {
  write(entry: Fact & { job: string; fence: number }): void
}

/** Appends lines to a file that many processes share. A line that was written survives `kill -9`. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'a')
  return {
    write: (entry) => void writeSync(file, `${JSON.stringify({ ...entry, atMs: monotonicMs(), pid: process.pid })}\n`),
  }
}

export function readJournal(path: string): JournalEntry[] {
  const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)
  // Only `openJournal` writes to the file.
  return lines.map((line) => JSON.parse(line) as JournalEntry)
}
