import { LIMITS, PERMISSIONS } from '@modelrun/contract'
import { Activity } from '../clock/activity.ts'
import { EventLog, type LoggedEvent, type RunningClock } from '../clock/clock.ts'
import { createClock } from '../clock/create-clock.ts'
import { Pauses } from '../clock/pauses.ts'
import type { Account } from '../domain/account.ts'
import { type ApiKey, ApiKeys } from '../domain/api-keys.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import { type DeliveryBody, type DeliveryRecord, deliveryBody } from '../domain/delivery.ts'
import { chargeOf, type Job, type JobEnd } from '../domain/job.ts'
import { Jobs } from '../domain/jobs.ts'
import { Faults } from '../faults/account-faults.ts'
import { Observer } from '../history/journal.ts'
import { createRandom, type Random } from '../shared/random.ts'
import { DeliveryLog } from '../webhooks/delivery-log.ts'
import { WebhookDispatcher } from '../webhooks/dispatcher.ts'
import { Receivers } from '../webhooks/receivers.ts'
import type { ResolvedOptions } from './options.ts'
import { HeldRuns, JobTimers } from './runs.ts'

/** The whole state of one server, put together; no HTTP in it. */
export class Service {
  readonly options: ResolvedOptions
  readonly activity = new Activity()
  readonly eventLog = new EventLog(() => this.jobs.settle())
  readonly clock: RunningClock
  readonly random: Random
  readonly models: ReadonlyMap<string, CatalogModel>
  readonly keys: ApiKeys
  readonly jobs: Jobs
  readonly heldRuns: HeldRuns
  readonly jobTimers: JobTimers
  readonly deliveries: DeliveryLog
  /** The journal, the log. */
  readonly observer: Observer
  readonly faults: Faults
  /** Of requests that a fault holds up. */
  readonly pauses: Pauses
  /** Files are addressed under it. */
  baseUrl: string
  isClosed = false
  /** How many requests were numbered. */
  requests = 0
  readonly receivers: Receivers
  readonly dispatcher: WebhookDispatcher

  constructor(options: ResolvedOptions) {
    this.options = options
    this.baseUrl = options.baseUrl
    this.clock = createClock(options.clock, {
      activity: this.activity,
      eventLog: this.eventLog,
      startTime: options.startTime,
    })
    this.random = createRandom(options.seed)
    this.faults = new Faults(options.seed)
    this.pauses = new Pauses(this.clock)
    this.models = new Map(options.catalog.map((model) => [model.id, model]))
    this.keys = new ApiKeys(this.random)
    const { credits, apiKey: key } = options
    this.keys.create({ isLive: false, permissions: PERMISSIONS, credits, allowIps: undefined, key })
    this.observer = new Observer(options, this.clock.now)
    const { retention } = options
    this.deliveries = new DeliveryLog(retention.deliveries)
    const chargesFailed = options.assumptions.creditsOfFailedRun === 'price'
    this.jobs = new Jobs(this.clock.now, this.#jobEnded.bind(this), { ...retention, chargesFailed })
    this.heldRuns = new HeldRuns(this.clock, (job) => this.eventLog.add(() => holdEnded(job, this.clock.now())))
    this.jobTimers = new JobTimers(this.clock, this.jobs)
    this.receivers = new Receivers(options.deliver, () => this.baseUrl)
    this.dispatcher = new WebhookDispatcher({
      clock: this.clock,
      activity: this.activity,
      receivers: this.receivers,
      pause: (ms, signal) => this.pauses.pause(ms, signal),
      log: this.deliveries,
      isShown: () => this.observer.isShown,
      onSend: () => this.observer.journal.place(),
      onRecord: (record, job, startPlace) => {
        this.eventLog.add(() => deliveryEnded(record))
        this.observer.deliveryEnded(record, job, startPlace)
      },
    })
  }

  /** Has all permissions; its account is the default. */
  get firstKey(): ApiKey {
    return this.keys.first
  }

  nextRequestNumber(): number {
    return ++this.requests
  }

  /** Forgets jobs, credits used, scripts and deliveries of an account, or of all. Keys stay. */
  reset(account?: Account): void {
    this.jobs.forget(account)
    this.dispatcher.forget(account)
    this.deliveries.forget(account)
    this.faults.forget(account)
    this.observer.forget(account)
    for (const one of account === undefined ? this.keys.accounts() : [account]) one.reset()
  }

  deliveryBody(job: Job, end: JobEnd): DeliveryBody {
    return deliveryBody(job, end, this.baseUrl)
  }

  close(): void {
    this.isClosed = true
    this.clock.close()
    this.dispatcher.close()
    this.heldRuns.releaseAll()
    this.pauses.close()
    this.deliveries.close()
    this.activity.close()
  }

  #jobEnded(job: Job, end: JobEnd, isForgotten: boolean): void {
    this.eventLog.add(() => jobEnded(job, end))
    // A job that a reset forgot did not happen.
    if (!isForgotten) this.observer.jobEnded(job, end)
    this.jobTimers.forget(job)
    this.heldRuns.release(job)
    const hasDelivery = end.status !== 'cancelled' || this.options.assumptions.cancelledJobWebhook === 'sent'
    // A job that a reset forgot has no delivery.
    const webhook = hasDelivery && !this.isClosed && !isForgotten ? job.webhook : undefined
    if (webhook !== undefined) this.dispatcher.dispatch(job, webhook, this.deliveryBody(job, end))
    else if (job.webhook !== undefined) this.dispatcher.skip(job)
  }
}

function jobEnded(job: Job, end: JobEnd): LoggedEvent {
  const { id, model } = job
  const credits = chargeOf(job, end)
  const reason = end.status === 'failed' ? `, ${end.error?.code}` : ''
  const text = `job ${id} (${model.id}) ${end.status}${reason}: ${credits} credits charged`
  return { at: end.at, kind: 'job_ended', job_id: id, text }
}

function holdEnded({ id, model }: Job, at: number): LoggedEvent {
  const text = `the run of ${model.id} was held for ${LIMITS.syncWaitMs / 1_000} s and gets a 202: job ${id} continues`
  return { at, kind: 'hold_ended', job_id: id, text }
}

function deliveryEnded({ job_id, url, outcome, status, reason, finishedAt }: DeliveryRecord): LoggedEvent {
  const detail = [status, reason].filter((part) => part !== undefined).join(' ')
  const text = `webhook of job ${job_id} to ${url}: ${outcome.replace('_', ' ')}${detail && ` (${detail})`}`
  return { at: finishedAt, kind: 'delivery_ended', job_id, text }
}
