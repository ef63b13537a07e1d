import { type Activity, RECEIVER_GRACE_MS } from '../clock/activity.ts'
import type { Pauses, ServerClock } from '../clock/clock.ts'
import type { Account } from '../domain/account.ts'
import type { DeliveryBody, DeliveryRecord } from '../domain/delivery.ts'
import type { Job, JobWebhook } from '../domain/job.ts'
import type { Observer } from '../history/journal.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Receivers } from './receivers.ts'
import { sendDelivery } from './send-delivery.ts'

/** A result on its way: from the end of its job until all its deliveries are over. */
interface PendingDelivery {
  readonly job: Job
  readonly webhook: JobWebhook
  readonly body: DeliveryBody
  /** Cancels it, and the current request. */
  readonly abort: AbortController
  /** How many of its deliveries are over. */
  sent: number
  /** When the next delivery starts; `undefined` while that is not known, or it has started. */
  dueAt: number | undefined
}

/** The state of a pending delivery, from which another server can continue. */
type PendingDeliveryState = Pick<PendingDelivery, 'job' | 'webhook' | 'body' | 'sent' | 'dueAt'>

interface DispatcherOptions {
  clock: ServerClock
  activity: Activity
  receivers: Receivers
  log: DeliveryLog
  observer: Observer
  pauses: Pauses
}

/** Sends the results of jobs to their webhooks. */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions
  readonly #pendingDeliveries = new Set<PendingDelivery>()
  readonly #settled = new Map<Job, () => void>()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  dispatch(job: Job, webhook: JobWebhook, body: DeliveryBody): void {
    this.resume({ job, body, webhook, sent: 0, dueAt: undefined })
  }

  /** Continues a delivery of another server. */
  resume(state: PendingDeliveryState): void {
    const delivery: PendingDelivery = { ...state, abort: new AbortController() }
    this.#pendingDeliveries.add(delivery)
    void this.#run(delivery)
  }

  /** Everything on its way, of an account or of all. A delivery that has started counts as one that has not. */
  pendingDeliveries(account?: Account): readonly PendingDeliveryState[] {
    return [...this.#pendingDeliveries].filter(({ job }) => account === undefined || job.account === account)
  }

  /** Resolves when all deliveries of a job that will end are over, or there will be none. */
  settled(job: Job): Promise<void> {
    const isOver = job.end !== undefined && [...this.#pendingDeliveries].every((delivery) => delivery.job !== job)
    return isOver ? Promise.resolve() : new Promise((resolve) => this.#settled.set(job, resolve))
  }

  /** The job has ended without a delivery. */
  skip(job: Job): void {
    this.#settled.get(job)?.()
    this.#settled.delete(job)
  }

  /** Cancels the deliveries of one account or all. */
  forget(account?: Account): void {
    this.#cancel(({ job }) => account === undefined || job.account === account)
  }

  /** Cancels every delivery, and ends every wait. */
  close(): void {
    this.forget()
    for (const job of [...this.#settled.keys()]) this.skip(job)
  }

  // Without a wait of its own the first delivery goes out at once, in the turn in which the job ended.
  async #run(delivery: PendingDelivery): Promise<void> {
    const { signal } = delivery.abort
    for (; delivery.sent < (delivery.webhook.deliveries ?? 1) && !signal.aborted; delivery.sent++) {
      delivery.dueAt ??= this.#options.clock.now() + waitMs(delivery)
      const restMs = delivery.dueAt - this.#options.clock.now()
      if (restMs > 0) await this.#options.pauses.pause(restMs, signal)
      delivery.dueAt = undefined
      if (!signal.aborted) await this.#attempt(delivery)
    }
    this.#end(delivery)
  }

  #cancel(isMeant: (delivery: PendingDelivery) => boolean): void {
    for (const delivery of this.#pendingDeliveries) {
      if (!isMeant(delivery)) continue
      delivery.abort.abort()
      this.#end(delivery)
    }
  }

  #end(delivery: PendingDelivery): void {
    this.#pendingDeliveries.delete(delivery)
    this.skip(delivery.job)
  }

  async #attempt(delivery: PendingDelivery): Promise<void> {
    const work = this.#options.activity.start(RECEIVER_GRACE_MS)
    try {
      const startPlace = this.#options.observer.journal.place()
      const record = await this.#send(delivery)
      if (delivery.abort.signal.aborted) return
      this.#options.log.add(delivery.job.account, record)
      this.#options.observer.deliveryEnded(record, delivery.job, startPlace)
    } finally {
      work.park()
    }
  }

  async #send({ job, body, webhook, abort: { signal } }: PendingDelivery): Promise<DeliveryRecord> {
    const { clock, receivers, observer } = this.#options
    const attemptedAt = clock.now()
    const outcome = await sendDelivery({
      deliver: receivers.of(job.account),
      clock,
      url: webhook.url,
      body: JSON.stringify(body),
      signal,
      isShown: observer.isShown,
    })
    return { job_id: body.job_id, url: webhook.url, attemptedAt, finishedAt: clock.now(), ...outcome, body }
  }
}

/** Delay before the next delivery of a result. */
function waitMs({ sent, webhook }: PendingDelivery): number {
  const { delay_ms = 0, gap_ms = 0 } = webhook
  return sent === 0 ? delay_ms : gap_ms
}
