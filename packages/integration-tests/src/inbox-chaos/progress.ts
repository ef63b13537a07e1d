import { setTimeout as sleep } from 'node:timers/promises'
import { type JournalEntry, monotonicMs, readJournal } from './journal.ts'

/** Follows the journal while it grows. */
export interface Progress {
  entries: readonly JournalEntry[]
  /** Jobs that somebody has taken, and not given back yet. */
  open: ReadonlySet<string>
  /** Jobs of which a completion was accepted. */
  done: ReadonlySet<string>
  /** Waits until the condition holds; looks each time that the journal may have grown. */
  until(condition: () => boolean): Promise<void>
  /** Milliseconds since the last line. */
  quietMs(): number
  close(): void
}

const LOOK_MS = 20

export function followJournal(path: string): Progress {
  const reader = readJournal(path)
  const entries: JournalEntry[] = []
  const open = new Set<string>()
  const done = new Set<string>()
  let grewAtMs = monotonicMs()

  function look(): void {
    const news = reader.read()
    if (news.length > 0) grewAtMs = monotonicMs()
    for (const entry of news) {
      entries.push(entry)
      if (entry.what === 'claimed') open.add(entry.job)
      if (entry.what === 'ending') open.delete(entry.job)
      if (entry.what === 'completed') done.add(entry.job)
    }
  }

  return {
    entries,
    open,
    done,
    until: async (condition) => {
      for (look(); !condition(); look()) await sleep(LOOK_MS)
    },
    quietMs: () => monotonicMs() - grewAtMs,
    close: reader.close,
  }
}
