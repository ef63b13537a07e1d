import { type Checks, cleanText, oneNameOf, readOptions, text } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import { showKey } from '../domain/api-keys.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import { FairBuffer } from '../shared/fair-buffer.ts'
import { pathOf } from '../wire/router.ts'
import { describeEntry, describeTime } from './describe-entry.ts'
import type { JournalEntry, JournalRecord, RequestEntry } from './journal-entry.ts'
import { JOURNAL_KINDS, jobCreation, jobEnding, jobIdOf, jobStart } from './journal-entry.ts'
import { redactText, shownHeaders } from './redact.ts'
import { writeStory } from './story.ts'

/** About what an entry takes besides its texts. */
const ENTRY_BYTES = 300

/** So much of a body is recorded. */
const MAX_BODY_BYTES = 2_048

/** A request and its response, with their whole bodies and with secrets. */
export interface RequestDetails extends Omit<RequestEntry, 'kind' | 'path'> {
  readonly url: string
}

/**
 * What happened on the server, oldest first, within a number of bytes. Beyond it the tenant that recorded the most loses
 * its oldest entries.
 */
export class Journal {
  readonly #records: FairBuffer<Account | null, JournalRecord>
  /** Changes when entries are forgotten: a reader that knows some reads all again. */
  epoch = crypto.randomUUID()
  #places = 0

  constructor(maxBytes: number) {
    this.#records = new FairBuffer({ limit: maxBytes, weigh: ({ bytes }) => bytes })
  }

  /** Place of the newest entry, or of what has started since. */
  get lastPlace(): number {
    return this.#places
  }

  /** Takes the next place, for an event that starts now and is added later. */
  place(): number {
    return ++this.#places
  }

  /** @param account `null` without an account, such as for a request without a known key */
  add(account: Account | null, entry: JournalEntry, startPlace?: number): void {
    const endPlace = this.place()
    this.#records.add(account, { entry, startPlace: startPlace ?? endPlace, endPlace, bytes: byteSize(entry) })
  }

  addRequest(account: Account | null, details: RequestDetails, startPlace: number): void {
    this.#records.add(account, new RequestRecord(details, startPlace, this.place()))
  }

  /** In the order in which they ended; without an account all records, `null` as in `add`. */
  records(account?: Account | null): JournalRecord[] {
    if (account !== undefined) return this.#records.of(account)
    return this.#records.of().sort((one, other) => one.endPlace - other.endPlace)
  }

  forget(account?: Account): void {
    this.#records.forget(account)
    this.epoch = crypto.randomUUID()
  }
}

function byteSize(entry: JournalEntry): number {
  let bytes = ENTRY_BYTES
  for (const value of Object.values(entry)) if (typeof value === 'string') bytes += value.length
  return bytes
}

/** A request in the journal. To leave out secrets costs time, so it is done when the entry is read. */
class RequestRecord implements JournalRecord {
  readonly startPlace: number
  readonly endPlace: number
  readonly bytes: number
  readonly #details: RequestDetails

  constructor(details: RequestDetails, startPlace: number, endPlace: number) {
    const { url, requestBody = '', responseBody, requestHeaders = [], responseHeaders = [] } = details
    this.#details = { ...details, responseBody: responseBody && startOf(responseBody) }
    this.startPlace = startPlace
    this.endPlace = endPlace
    const texts = [
      url,
      requestBody,
      this.#details.responseBody ?? '',
      ...requestHeaders.flat(),
      ...responseHeaders.flat(),
    ]
    this.bytes = texts.reduce((sum, { length }) => sum + length, ENTRY_BYTES)
  }

  get body(): string | undefined {
    return this.#details.requestBody
  }

  get entry(): RequestEntry {
    const { url, key, requestBody, responseBody, requestHeaders, responseHeaders, ...rest } = this.#details
    return {
      kind: 'request',
      ...rest,
      path: redactText(pathOf(url)),
      key: key && showKey(key),
      requestBody: requestBody && redactText(startOf(requestBody)),
      responseBody: responseBody && redactText(responseBody),
      ...(requestHeaders && { requestHeaders: shownHeaders(requestHeaders) }),
      ...(responseHeaders && { responseHeaders: shownHeaders(responseHeaders) }),
    }
  }
}

/** What is recorded of a body. A slice would keep all of it in memory. */
export function startOf(body: string): string {
  if (body.length <= MAX_BODY_BYTES) return body
  const bytes = new Uint8Array(MAX_BODY_BYTES)
  const { written } = new TextEncoder().encodeInto(body, bytes)
  return new TextDecoder().decode(bytes.subarray(0, written))
}

/** Which part of the journal. */
interface JournalFilter {
  /** Of this key's account. Default: of all, and of requests without a key. */
  key?: string | undefined
  /** `request`, `job`, `delivery` or `note`. Default: all of them. */
  kind?: JournalEntry['kind'] | undefined
  /** Only what is about this job. */
  jobId?: string | undefined
}

const FILTER: Checks<JournalFilter> = { key: text, kind: oneNameOf(JOURNAL_KINDS), jobId: text }

/** What happened on the server, oldest first, within the option `retention.journalBytes`. No secrets are in it. */
export interface JournalView {
  /**
   * The entries that pass the filter; without one, all.
   *
   * @throws Error for a key that this server did not make, and for a name that does not exist
   */
  entries(filter?: JournalFilter): readonly JournalEntry[]
  /** The same, a line for each entry; times count from the first. Fit for a snapshot when time is virtual. */
  text(filter?: JournalFilter): string
}

export function viewJournal(journal: Journal, accountOf: (key: string) => Account): JournalView {
  const entries = (given: JournalFilter = {}) => {
    const { key, ...filter } = readOptions('server.journal', given, FILTER)
    return selectRecords(journal, key === undefined ? undefined : accountOf(key), filter).map(({ entry }) => entry)
  }
  return { entries, text: (filter) => journalText(entries(filter)) }
}

export function selectRecords(
  journal: Journal,
  account: Account | undefined,
  { kind, jobId }: Omit<JournalFilter, 'key'>,
): JournalRecord[] {
  return journal
    .records(account)
    .filter(({ entry }) => (kind ?? entry.kind) === entry.kind && (jobId === undefined || jobId === jobIdOf(entry)))
}

export function journalText(entries: readonly JournalEntry[]): string {
  const startAt = entries.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
  return entries.map((entry) => `${describeTime(entry.at, startAt)}  ${describeEntry(entry)}`).join('\n')
}

/** Receives every event of the server, and stores what reports and stories show. */
export class Observer {
  readonly journal: Journal
  /** Whether a dashboard shows the server: then headers and the responses of receivers are recorded. */
  isShown = false
  readonly #log: ((line: string) => void) | undefined
  readonly #now: () => number
  #hasWarned = false

  constructor(
    { retention, log }: { retention: { journalBytes: number }; log: ((line: string) => void) | undefined },
    now: () => number,
  ) {
    this.journal = new Journal(retention.journalBytes)
    this.#log = log
    this.#now = now
  }

  /** Writes a line to the log, without what controls a terminal. Costs nothing without a log. */
  log(line: () => string): void {
    this.#log?.(cleanText(line()))
  }

  /** Something that a person should know about. */
  warn(text: string, account: Account | null = null): void {
    this.log(() => text)
    this.journal.add(account, { kind: 'note', at: this.#now(), key: account?.name, text })
  }

  jobCreated(job: Job): void {
    this.journal.add(job.account, jobCreation(job))
  }

  jobEnded(job: Job, end: JobEnd): void {
    for (const start of jobStart(job, end.at)) this.journal.add(job.account, start)
    this.journal.add(job.account, jobEnding(job, end))
  }

  deliveryEnded(record: DeliveryRecord, { account }: Job, startPlace: number): void {
    const { attemptedAt: at, finishedAt, body, ...rest } = record
    const { job_id, outcome, status, reason } = rest
    const url = redactText(record.url)
    const requestBody = redactText(startOf(JSON.stringify(body)))
    const durationMs = finishedAt - at
    this.journal.add(
      account,
      { ...rest, kind: 'delivery', at, key: account.name, url, durationMs, requestBody },
      startPlace,
    )
    this.log(() => ['webhook', outcome, job_id, url, status, reason].filter((part) => part !== undefined).join(' '))
    if (outcome !== 'delivered') this.#warnOfMissedWebhook(url, [status, reason].filter(Boolean).join(' ') || outcome)
  }

  /** Once, and only without a log, which has a line for it. */
  #warnOfMissedWebhook(url: string, reason: string): void {
    if (this.#log !== undefined || this.#hasWarned) return
    this.#hasWarned = true
    console.warn(
      `modelrun-reference-server: a result did not reach ${url}: ${cleanText(reason)}. server.webhooks.deliveries() has every delivery, and this warning does not come again.`,
    )
  }

  /** The life of a job on one page; `undefined` when nothing is known of it. */
  story(jobId: string, job: Job | undefined): string | undefined {
    const records = this.journal.records(job?.account)
    return writeStory({ jobId, records, job, now: this.#now() })
  }
}
