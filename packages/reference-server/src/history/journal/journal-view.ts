import type { Account } from '../../domain/account.ts'
import { describeEntry, describeTime } from './describe-entry.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry, JournalRecord } from './journal-entry.ts'

/** Which part of the journal. */
interface JournalFilter {
  /** Of this key's account. Default: of all, and of requests without a key. */
  key?: string | undefined
  /** `request`, `job`, `delivery` or `note`. Default: all of them. */
  kind?: JournalEntry['kind'] | undefined
  /** Only what is about this job. */
  jobId?: string | undefined
}

/** What happened on the server, oldest first, within the option `retention.journalBytes`. No secrets are in it. */
export interface JournalView {
  /**
   * The entries that pass the filter; without one, all.
   *
   * @throws Error for a key that this server did not make
   */
  entries(filter?: JournalFilter): readonly JournalEntry[]
  /** The same, a line for each entry; times count from the first. Fit for a snapshot when time is virtual. */
  text(filter?: JournalFilter): string
}

export function viewJournal(journal: Journal, accountOf: (key: string) => Account): JournalView {
  const entries = ({ key, ...filter }: JournalFilter = {}) =>
    selectRecords(journal, key === undefined ? undefined : accountOf(key), filter).map(({ entry }) => entry)
  return { entries, text: (filter) => journalText(entries(filter)) }
}

/** The records of an account, or of all, that pass a filter. */
export function selectRecords(
  journal: Journal,
  account: Account | undefined,
  { kind, jobId }: Omit<JournalFilter, 'key'>,
): JournalRecord[] {
  return journal
    .records(account)
    .filter(({ entry }) => (kind ?? entry.kind) === entry.kind && (jobId === undefined || jobId === jobOf(entry)))
}

export function journalText(entries: readonly JournalEntry[]): string {
  const startAt = entries.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
  return entries.map((entry) => `${describeTime(entry.at, startAt)}  ${describeEntry(entry)}`).join('\n')
}

function jobOf(entry: JournalEntry): string | undefined {
  return entry.kind === 'note' ? undefined : entry.job_id
}
