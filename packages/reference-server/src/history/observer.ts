import type { Account } from '../domain/account.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import type { Retention } from '../domain/retention.ts'
import { Journal, jobCreation, jobEnding, jobStart } from './journal/journal.ts'
import { redactText } from './journal/redact.ts'
import { writeStory } from './journal/story.ts'

interface ObserverOptions {
  retention: Retention
  log: ((line: string) => void) | undefined
}

/** Receives every event of the server, and stores what reports and stories show. */
export class Observer {
  readonly journal: Journal
  /** Whether a dashboard shows the server: then headers and the responses of receivers are recorded. */
  isShown = false
  readonly #log: ((line: string) => void) | undefined
  readonly #now: () => number
  #hasWarned = false

  constructor({ retention, log }: ObserverOptions, now: () => number) {
    this.journal = new Journal(retention.journalBytes)
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
  }

  jobEnded(job: Job, end: JobEnd): void {
    for (const start of jobStart(job, end.at)) this.journal.add(job.account, start)
    this.journal.add(job.account, jobEnding(job, end))
  }

  deliveryEnded(record: DeliveryRecord, { account, webhook }: Job, startPlace: number): void {
    const { job_id, outcome, status, reason, attemptedAt: at, finishedAt } = record
    const url = redactText(record.url)
    this.journal.add(
      account,
      { kind: 'delivery', at, key: account.name, job_id, url, outcome, status, reason, durationMs: finishedAt - at },
      startPlace,
    )
    this.log(() => ['webhook', outcome, job_id, url, status, reason].filter((part) => part !== undefined).join(' '))
    if (outcome !== 'delivered' && webhook?.receiver === undefined)
      this.#warnOfMissedWebhook(url, reason ?? status ?? outcome)
  }

  /** Once, and only without a log, which has a line for it. */
  #warnOfMissedWebhook(url: string, reason: string | number): void {
    if (this.#log !== undefined || this.#hasWarned) return
    this.#hasWarned = true
    console.warn(
      `modelrun-reference-server: a result did not reach ${url}: ${reason}. server.webhooks.deliveries() has every delivery, and this warning does not come again.`,
    )
  }

  /** Forgets what was about an account, or all. */
  forget(account?: Account): void {
    this.journal.forget(account)
  }

  /** The life of a job on one page; `undefined` when nothing is known of it. */
  story(jobId: string, job: Job | undefined): string | undefined {
    const records = this.journal.records(job?.account)
    return writeStory({ jobId, records, job, now: this.#now() })
  }
}
