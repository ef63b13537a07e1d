import type { Account } from '../domain/account.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import type { Retention } from '../domain/retention.ts'
import { FairBuffer } from '../shared/fair-buffer.ts'
import { Audit, type Violation } from './audit.ts'
import { Journal, jobCreation, jobEnding, jobStart } from './journal/journal.ts'
import { redactText } from './journal/redact.ts'
import { writeStory } from './journal/story.ts'

/** Something that was done to the server from outside: a run, a cancel, or a call of the control API that changed something. */
export interface Action {
  readonly [member: string]: unknown
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** Name of the call in the OpenAPI documents. */
  readonly call: string
  /** The API key whose account it was about; missing: the first. */
  readonly key?: string | undefined
  /** The job that it made, or was about. */
  readonly job_id?: string | undefined
  /** What it was called with. Of a run that made a job, the job has it. */
  readonly body?: unknown
  /** What it made: the id of a fault, or a key. */
  readonly made?: string | undefined
  /** Of a run: its path, and the status of the response, if one arrived. */
  readonly path?: string | undefined
  readonly status?: number | undefined
  /** Of a run: the job's status in the response. */
  readonly job_status?: string | undefined
}

/** The newest are stored. */
const MAX_ACTIONS = 1_000

/** A reset leaves keys and time as they are. */
const KEPT_BY_RESET = /Key$|Clock/

/** What was done to the server, oldest first: enough to do it again in a test. */
class Actions {
  #actions: Action[] = []

  add(action: Action): void {
    this.#actions.push(action)
    if (this.#actions.length > 2 * MAX_ACTIONS) this.#actions = this.list()
  }

  list(): Action[] {
    return this.#actions.slice(-MAX_ACTIONS)
  }

  /** @param isMeant whether an API key belongs to the account that was reset */
  forget(isMeant: (key: string | undefined) => boolean): void {
    this.#actions = this.#actions.filter(({ call, key }) => KEPT_BY_RESET.test(call) || !isMeant(key))
  }

  replace(actions: readonly Action[]): void {
    this.#actions = [...actions]
  }
}

const MAX_VIOLATIONS = 100

interface ObserverOptions {
  retention: Retention
  /** Whether the credits are audited. */
  strict: boolean
  log: ((line: string) => void) | undefined
}

/** Receives every event of the server, and stores what reports and stories show. */
export class Observer {
  readonly journal: Journal
  /** What was done to the server. Recorded where there is a dashboard. */
  readonly actions = new Actions()
  /** Whether a dashboard shows the server: then actions, headers and the responses of receivers are recorded. */
  isShown = false
  /** Only in strict mode. */
  readonly #audit: Audit | undefined
  readonly #violations = new FairBuffer<Account | null, string>({ limit: MAX_VIOLATIONS })
  readonly #log: ((line: string) => void) | undefined
  readonly #now: () => number
  #hasWarned = false

  constructor({ retention, strict, log }: ObserverOptions, now: () => number) {
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

  /** Once: whoever has no log would not know why the handler of a result is not called. */
  #warnOfMissedWebhook(url: string, reason: string | number): void {
    if (this.#log !== undefined || this.#hasWarned) return
    this.#hasWarned = true
    console.warn(
      `modelrun-reference-server: a result did not reach ${url}: ${reason}. server.webhooks.deliveries() has every delivery, and this warning does not come again.`,
    )
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
