import type { Account } from '../domain/account.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import type { ResolvedOptions } from '../options.ts'
import type { DeliveryRecord } from '../webhooks/delivery-record.ts'
import { Actions } from './actions.ts'
import { Audit, type Violation } from './audit.ts'
import { FairBuffer } from './fair-buffer.ts'
import { Journal, jobCreation, jobEnding, jobStart } from './journal/journal.ts'
import { redactUrl } from './journal/redact.ts'
import { writeStory } from './journal/story.ts'

/** A request that no route of the service takes. */
export interface UnmatchedRequest {
  /** HTTP method. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** HTTP status of the response, 404 or 405. */
  readonly status: number
  /** What was probably meant. */
  readonly hint?: string | undefined
}

const MAX_VIOLATIONS = 100
const MAX_UNMATCHED = 200

/** Receives every event of the server, and stores what reports and stories show. */
export class Observer {
  readonly journal: Journal
  /** The newest requests that no route took. */
  readonly unmatched = new FairBuffer<Account | null, UnmatchedRequest>({ limit: MAX_UNMATCHED })
  /** What was done to the server. Recorded where there is a dashboard. */
  readonly actions = new Actions()
  /** Whether a dashboard shows the server: then actions, headers and the responses of receivers are recorded. */
  isShown = false
  /** Only in strict mode. */
  readonly #audit: Audit | undefined
  readonly #violations = new FairBuffer<Account | null, string>({ limit: MAX_VIOLATIONS })
  readonly #log: ((line: string) => void) | undefined
  readonly #now: () => number

  constructor({ retention, strict, log }: ResolvedOptions, now: () => number) {
    this.journal = new Journal(retention.journalBytes)
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
    this.journal.add(job.account, jobCreation(job))
    this.#audit?.created(job)
  }

  jobEnded(job: Job, end: JobEnd): void {
    for (const start of jobStart(job, end.at)) this.journal.add(job.account, start)
    this.journal.add(job.account, jobEnding(job, end))
    this.#audit?.ended(job, end)
  }

  deliveryEnded(record: DeliveryRecord, { account }: Job, startPlace: number): void {
    const { job_id, outcome, status, reason, attemptedAt: at, finishedAt } = record
    const url = redactUrl(record.url)
    this.journal.add(
      account,
      { kind: 'delivery', at, key: account.name, job_id, url, outcome, status, reason, durationMs: finishedAt - at },
      startPlace,
    )
    this.log(() => ['webhook', outcome, job_id, url, status, reason].filter((part) => part !== undefined).join(' '))
  }

  /** The rules that the server has broken since the last call, each with the story of its job. Strict mode only. */
  newViolations(): readonly string[] {
    if (this.#audit === undefined) return []
    return this.#audit.check().map((violation) => this.#violated(violation))
  }

  /** All that were found so far, the newest hundred. */
  violationsOf(account?: Account): readonly string[] {
    this.newViolations()
    return this.#violations.of(account)
  }

  /** Forgets what was about an account, or all. */
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
