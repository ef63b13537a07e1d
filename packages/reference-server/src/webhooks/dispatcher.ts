import type { Activity } from '../clock/activity.ts'
import type { ServerClock } from '../clock/clock.ts'
import type { Account } from '../domain/account.ts'
import type { Job, JobWebhook } from '../domain/job.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryBody, DeliveryRecord } from './delivery-record.ts'
import { type Deliver, sendDelivery } from './send-delivery.ts'

export interface DispatcherOptions {
  clock: ServerClock
  activity: Activity
  deliver: Deliver
  log: DeliveryLog
  onRecord: (record: DeliveryRecord) => void
}

/** A result on its way, from the end of its job until all its deliveries are done. */
interface Errand {
  readonly account: Account
  readonly body: DeliveryBody
  readonly webhook: JobWebhook
  /** Taken back, or the request going on aborted. */
  stop(): void
  isStopped: boolean
}

/** Sends the results of jobs to their webhooks. */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions
  readonly #errands = new Set<Errand>()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Delivers a result as the job's webhook says. */
  dispatch(job: Job, webhook: JobWebhook, body: DeliveryBody): void {
    const errand: Errand = { account: job.account, body, webhook, stop: () => {}, isStopped: false }
    this.#errands.add(errand)
    if (webhook.delay_ms === undefined) {
      void this.#run(errand)
    } else {
      const timer = this.#options.clock.setTimeout(() => void this.#run(errand), webhook.delay_ms)
      errand.stop = () => this.#options.clock.clearTimeout(timer)
    }
  }

  /** Takes back whatever is on its way, for one account or all. */
  forget(account?: Account): void {
    for (const errand of this.#errands) {
      if (account !== undefined && errand.account !== account) continue
      errand.isStopped = true
      errand.stop()
      this.#errands.delete(errand)
    }
  }

  async #run(errand: Errand): Promise<void> {
    const deliveries = errand.webhook.deliveries ?? 1
    for (let count = 0; count < deliveries && !errand.isStopped; count++) await this.#attempt(errand)
    this.#errands.delete(errand)
  }

  async #attempt(errand: Errand): Promise<void> {
    const work = this.#options.activity.begin()
    try {
      const record = await this.#send(errand)
      if (!errand.isStopped) this.#record(errand, record)
    } finally {
      work.end()
    }
  }

  async #send(errand: Errand): Promise<DeliveryRecord> {
    const { clock, deliver } = this.#options
    const { body, webhook } = errand
    const attemptedAt = clock.now()
    const abort = new AbortController()
    errand.stop = () => abort.abort()
    const outcome = await sendDelivery({ deliver, clock, url: webhook.url, body: JSON.stringify(body), abort })
    return { job_id: body.job_id, url: webhook.url, attemptedAt, finishedAt: clock.now(), ...outcome, body }
  }

  #record({ account }: Errand, record: DeliveryRecord): void {
    this.#options.log.add(account, record)
    this.#options.onRecord(record)
  }
}
