import type { Account } from '../domain/account.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import type { ResolvedOptions } from '../options.ts'
import type { DeliveryRecord } from '../webhooks/delivery-record.ts'
import { Audit, type Violation } from './audit.ts'
import { CoverageCounter } from './coverage-counter.ts'
import { FairBuffer } from './fair-buffer.ts'
import { Journal } from './journal/journal.ts'
import type { JobEntry } from './journal/journal-entry.ts'
import { jobCreation, jobEnding, jobStart } from './journal/journal-entry.ts'
import { redactUrl } from './journal/redact.ts'
import type { RequestDetails } from './journal/request-record.ts'
import { writeStory } from './journal/story.ts'
import { UnmatchedRequests } from './unmatched-requests.ts'

/** A request that has its response, with its account and job. */
export interface HandledRequest {
  details: RequestDetails
  account: Account | null
  job: Job | undefined
  /** Kind of the injected fault. */
  faultKind: string | undefined
  /** Place of its start in the journal. */
  startPlace: number
}

const MAX_VIOLATIONS = 100

/** Receives every event of the server, and stores what reports and stories show. */
export class Observer {
  readonly journal: Journal
  readonly coverage: CoverageCounter
  readonly unmatched = new UnmatchedRequests()
  /** Whether the journal gets the headers of requests and responses. */
  recordsHeaders = false
  /** Only in strict mode. */
  readonly #audit: Audit | undefined
  readonly #violations = new FairBuffer<Account | null, string>({ limit: MAX_VIOLATIONS })
  readonly #log: ((line: string) => void) | undefined
  readonly #now: () => number

  constructor({ assumptions, retention, strict, log }: ResolvedOptions, now: () => number) {
    this.journal = new Journal(retention.journalBytes)
    this.coverage = new CoverageCounter(assumptions)
    this.#audit = strict ? new Audit() : undefined
    this.#log = log
    this.#now = now
  }

  /** Writes a line to the log. Costs nothing without a log. */
  log(line: () => string): void {
    this.#log?.(line())
  }

  /** Something that a person should know about. */
  warn(text: string, account: Account | null = null): void {
    this.log(() => text)
    this.journal.add(account, { kind: 'note', at: this.#now(), key: account?.name, text })
  }

  jobCreated(job: Job): void {
    this.#changed(job, jobCreation(job))
    this.#audit?.created(job)
  }

  jobEnded(job: Job, end: JobEnd): void {
    for (const start of jobStart(job, end.at)) this.#changed(job, start)
    this.#changed(job, jobEnding(job, end))
    this.#audit?.ended(job, end)
    if (job.webhook?.deliveries === 0) this.coverage.deliveryLost()
  }

  /** @returns its place in the journal */
  deliverySent(job: Job): number {
    this.coverage.deliverySent(job)
    return this.journal.place()
  }

  deliveryEnded(record: DeliveryRecord, { account }: Job, startPlace: number): void {
    const { job_id, outcome, status, reason, attemptedAt: at, finishedAt } = record
    const url = redactUrl(record.url)
    this.coverage.deliveryEnded(outcome)
    this.journal.add(
      account,
      { kind: 'delivery', at, key: account.name, job_id, url, outcome, status, reason, durationMs: finishedAt - at },
      startPlace,
    )
    this.log(() => ['webhook', outcome, job_id, url, status, reason].filter((part) => part !== undefined).join(' '))
  }

  requestHandled({ details: facts, account, job, faultKind, startPlace }: HandledRequest): void {
    this.coverage.requestHandled(facts, job, faultKind)
    this.journal.addRequest(account, facts, startPlace)
  }

  /** The rules that the server has broken since the last call, each with the story of its job. Strict mode only. */
  newViolations(): readonly string[] {
    if (this.#audit === undefined) return []
    return this.#audit.check().map((violation) => this.#violated(violation))
  }

  /** All that were found so far, the newest hundred. */
  violationsOf(account?: Account): readonly string[] {
    this.newViolations()
    return account === undefined ? this.#violations.all() : this.#violations.of(account)
  }

  /** Forgets what was about an account, or all; coverage stays. */
  forget(account?: Account): void {
    this.journal.forget(account)
    this.unmatched.forget(account)
    this.#violations.forget(account)
    this.#audit?.forget(account)
  }

  /** The life of a job on one page; `undefined` when nothing is known of it. */
  story(jobId: string, job: Job | undefined): string | undefined {
    const records = this.journal.records(job?.account)
    return writeStory({ jobId, records, job, now: this.#now() })
  }

  #changed(job: Job, entry: JobEntry): void {
    this.journal.add(job.account, entry)
    this.coverage.changed(entry)
  }

  #violated({ message, job }: Violation): string {
    const story = job && this.story(job.id, job)
    const text = [`The server broke a rule of the service: ${message}`, ...(story === undefined ? [] : [story])].join(
      '\n',
    )
    this.#violations.add(job?.account ?? null, text)
    this.warn(text, job?.account ?? null)
    return text
  }
}
