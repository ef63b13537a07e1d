import type { Account } from '../../domain/account.ts'
import { FairBuffer } from '../../retention/fair-buffer.ts'
import type { JournalEntry } from './journal-entry.ts'
import { type RequestFacts, RequestRecord } from './request-record.ts'

/** An entry and its place among all of the server. */
export interface JournalRecord {
  readonly entry: JournalEntry
  /** Place of its beginning: other things may have happened before its end. */
  readonly beganAs: number
  readonly endedAs: number
  /** About what it takes in memory. */
  readonly bytes: number
}

/** About what an entry takes besides its texts. */
const ENTRY_BYTES = 300

/**
 * What happened on the server, oldest first, within a number of bytes. Beyond it the tenant that recorded the most loses
 * its oldest entries.
 */
export class Journal {
  readonly #records: FairBuffer<Account | null, JournalRecord>
  #places = 0

  constructor(maxBytes: number) {
    this.#records = new FairBuffer({ limit: maxBytes, weigh: ({ bytes }) => bytes })
  }

  /** Takes the next place, for something that begins now and is added later. */
  place(): number {
    return ++this.#places
  }

  /** @param account `null` for what belongs to nobody, such as a request without a known key */
  add(account: Account | null, entry: JournalEntry, beganAs?: number): void {
    const endedAs = this.place()
    this.#records.add(account, { entry, beganAs: beganAs ?? endedAs, endedAs, bytes: byteSize(entry) })
  }

  addRequest(account: Account | null, facts: RequestFacts, beganAs: number): void {
    this.#records.add(account, new RequestRecord(facts, { beganAs, endedAs: this.place() }))
  }

  /** In the order in which they ended; without an account all, those of nobody too. */
  records(account?: Account): JournalRecord[] {
    if (account !== undefined) return this.#records.of(account)
    return this.#records.all().sort((one, other) => one.endedAs - other.endedAs)
  }

  forget(account?: Account): void {
    this.#records.forget(account)
  }
}

function byteSize(entry: JournalEntry): number {
  let bytes = ENTRY_BYTES
  for (const value of Object.values(entry)) if (typeof value === 'string') bytes += value.length
  return bytes
}
