import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** What happened to one run of one job. */
export type Fact =
  /** The store gave the job to a worker, who asked for it at `sentAtMs`. */
  | { what: 'claimed'; owner: string; sentAtMs: number }
  /** The lease counts from `sentAtMs` anew. */
  | { what: 'extended'; sentAtMs: number }
  /** The handler began. */
  | { what: 'began'; source: 'webhook' | 'poll' }
  /** What the handler does to its run. */
  | { what: 'crashes' | 'stalls' | 'throws' }
  /** The worker gives its lease back: it asks the store to complete or to release it. */
  | { what: 'ending' }
  /** What the store answered to the completion. */
  | { what: 'completed' | 'refused' }

/** One line of the journal. Times are those of {@link monotonicMs}. */
export type JournalEntry = Fact & { job: string; fence: number; atMs: number; pid: number }

/** Milliseconds since the machine started: one clock for all processes, and one that nobody sets. */
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

export interface JournalReader {
  /** The lines that were added since the last time. */
  read(): JournalEntry[]
  close(): void
}

export function readJournal(path: string): JournalReader {
  const file = openSync(path, 'a+')
  const buffer = Buffer.alloc(1024 * 1024)
  let position = 0
  return {
    read: () => {
      const entries: JournalEntry[] = []
      for (;;) {
        const length = readSync(file, buffer, 0, buffer.length, position)
        const end = buffer.subarray(0, length).lastIndexOf('\n') + 1
        if (end === 0) return entries
        position += end
        // Only `openJournal` writes to the file.
        for (const line of buffer.toString('utf8', 0, end - 1).split('\n'))
          entries.push(JSON.parse(line) as JournalEntry)
      }
    },
    close: () => closeSync(file),
  }
}
