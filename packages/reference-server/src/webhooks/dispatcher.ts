import type { Activity, Work } from '../clock/activity.ts'
import type { ServerClock } from '../clock/clock.ts'
import type { Account } from '../domain/account.ts'
import type { Job, JobWebhook } from '../domain/job.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryBody, DeliveryRecord } from './delivery-record.ts'
import type { Errand, ErrandState } from './errand.ts'
import { HeldErrands } from './held-errands.ts'
import type { Receivers } from './receivers.ts'
import { type Pause, scriptedReceiver } from './scripted-receiver.ts'
import { type Deliver, sendDelivery } from './send-delivery.ts'

export interface DispatcherOptions {
  clock: ServerClock
  activity: Activity
  receivers: Receivers
  log: DeliveryLog
  /** An attempt begins. @returns its place in the order of things */
  onSend: (job: Job) => number
  onRecord: (record: DeliveryRecord, job: Job, sentAs: number) => void
  pause: Pause
  /** Awaited before each delivery. */
  gate?: ((job: Job) => Promise<void>) | undefined
}

/** The delivery begins so long after the answer that it waits for, which the client has read by then. */
const AFTER_POLL_MS = 1

/** Sends the results of jobs to their webhooks. */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions
  readonly #pendingDeliveries = new Set<Errand>()
  readonly #held = new HeldErrands()
  readonly #settled = new Map<Job, () => void>()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Delivers a result as the job's webhook says. */
  dispatch(job: Job, webhook: JobWebhook, body: DeliveryBody): void {
    const isHeld = webhook.when === 'after-poll' || webhook.when === 'after-next'
    this.resume({ job, body, webhook, sent: 0, isHeld, dueAt: undefined })
  }

  /** Takes an errand up where another server was with it. */
  resume(state: ErrandState): void {
    const errand: Errand = { ...state, abort: new AbortController() }
    this.#pendingDeliveries.add(errand)
    void this.#run(errand)
  }

  /** Everything on its way. A delivery that has begun counts as one that has not. */
  pendingDeliveries(): readonly ErrandState[] {
    return [...this.#pendingDeliveries]
  }

  /** A read of the status has shown the end of the job. */
  polled(job: Job): void {
    this.#held.polled(job)
  }

  /** Resolves when all deliveries of a job that will end are over, or there will be none. */
  settled(job: Job): Promise<void> {
    const isOver = job.end !== undefined && [...this.#pendingDeliveries].every((errand) => errand.job !== job)
    return isOver ? Promise.resolve() : new Promise((resolve) => this.#settled.set(job, resolve))
  }

  /** The job has ended, and nobody is told. */
  skip(job: Job): void {
    this.#settled.get(job)?.()
    this.#settled.delete(job)
  }

  /** The jobs of an account, or of all, whose results are on their way, with where to. */
  pending(account?: Account): { id: string; webhook: JobWebhook }[] {
    return [...this.#pendingDeliveries]
      .filter(({ job }) => account === undefined || job.account === account)
      .map(({ job, webhook }) => ({ id: job.id, webhook }))
  }

  /** Takes back whatever is on its way, for one account or all. */
  forget(account?: Account): void {
    for (const errand of this.#pendingDeliveries) {
      if (account !== undefined && errand.job.account !== account) continue
      errand.abort.abort()
      this.#end(errand)
    }
  }

  /** Takes everything back, and nobody waits any more. */
  close(): void {
    this.forget()
    for (const job of [...this.#settled.keys()]) this.skip(job)
  }

  // Without a wait of its own the first delivery goes out at once, in the turn in which the job ended.
  async #run(errand: Errand): Promise<void> {
    const { signal } = errand.abort
    if (errand.isHeld) await this.#held.hold(errand)
    errand.isHeld = false
    for (; errand.sent < (errand.webhook.deliveries ?? 1) && !signal.aborted; errand.sent++) {
      errand.dueAt ??= this.#options.clock.now() + waitMs(errand)
      const restMs = errand.dueAt - this.#options.clock.now()
      if (restMs > 0) await this.#options.pause(restMs, signal)
      errand.dueAt = undefined
      if (this.#options.gate !== undefined) await this.#options.gate(errand.job)
      if (!signal.aborted) await this.#attempt(errand)
    }
    this.#end(errand)
  }

  #end(errand: Errand): void {
    this.#pendingDeliveries.delete(errand)
    this.skip(errand.job)
  }

  async #attempt(errand: Errand): Promise<void> {
    const work = this.#options.activity.begin()
    try {
      const sentAs = this.#options.onSend(errand.job)
      const record = await this.#send(errand, work)
      if (errand.abort.signal.aborted) return
      this.#options.log.add(errand.job.account, record)
      this.#options.onRecord(record, errand.job, sentAs)
      this.#held.delivered(errand.job)
    } finally {
      work.end()
    }
  }

  async #send({ job, body, webhook, abort: { signal } }: Errand, work: Work): Promise<DeliveryRecord> {
    const { clock } = this.#options
    const attemptedAt = clock.now()
    const abort = new AbortController()
    const stop = () => abort.abort()
    signal.addEventListener('abort', stop, { once: true })
    const deliver = this.#deliverFor(job.account, webhook, work)
    const outcome = await sendDelivery({ deliver, clock, url: webhook.url, body: JSON.stringify(body), abort })
    signal.removeEventListener('abort', stop)
    return { job_id: body.job_id, url: webhook.url, attemptedAt, finishedAt: clock.now(), ...outcome, body }
  }

  #deliverFor(account: Account, { receiver }: JobWebhook, work: Work): Deliver {
    const deliver = this.#options.receivers.of(account)
    if (receiver === undefined) return deliver
    return scriptedReceiver(receiver, deliver, async (ms, signal) => {
      work.park() // this is the wait that time has to pass for
      await this.#options.pause(ms, signal)
      work.resume()
    })
  }
}

/** How long an errand waits before its next delivery. */
function waitMs({ sent, webhook }: Errand): number {
  const { when, delay_ms = when === 'after-poll' ? AFTER_POLL_MS : 0, gap_ms = 0 } = webhook
  return sent === 0 ? delay_ms : gap_ms
}
