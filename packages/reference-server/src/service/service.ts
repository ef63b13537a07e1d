import { PERMISSIONS } from '@modelrun/contract'
import { Activity } from '../clock/activity.ts'
import { Pauses, type RunningClock } from '../clock/clock.ts'
import { createClock } from '../clock/create-clock.ts'
import type { Account } from '../domain/account.ts'
import { type ApiKey, ApiKeys } from '../domain/api-keys.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import { deliveryBody } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import { Jobs } from '../domain/jobs.ts'
import { Observer } from '../history/journal.ts'
import { Random } from '../shared/random.ts'
import { DeliveryLog } from '../webhooks/delivery-log.ts'
import { WebhookDispatcher } from '../webhooks/dispatcher.ts'
import { Receivers } from '../webhooks/receivers.ts'
import type { ResolvedOptions } from './options.ts'
import { JobTimers } from './runs.ts'

/** The whole state of one server, put together; no HTTP in it. */
export class Service {
  readonly options: ResolvedOptions
  readonly activity = new Activity()
  readonly clock: RunningClock
  readonly random: Random
  readonly models: ReadonlyMap<string, CatalogModel>
  readonly keys: ApiKeys
  readonly jobs: Jobs
  readonly jobTimers: JobTimers
  readonly deliveries: DeliveryLog
  readonly observer: Observer
  /** Of requests that a fault or an unfinished job holds up. */
  readonly pauses: Pauses
  /** Files are addressed under it. */
  baseUrl: string
  isClosed = false
  requests = 0
  readonly receivers: Receivers
  readonly dispatcher: WebhookDispatcher

  constructor(options: ResolvedOptions) {
    this.options = options
    this.baseUrl = options.baseUrl
    this.clock = createClock(options.clock, { activity: this.activity, startTime: options.startTime })
    this.random = new Random(options.seed)
    this.pauses = new Pauses(this.clock)
    this.models = new Map(options.catalog.map((model) => [model.id, model]))
    this.keys = new ApiKeys(this.random)
    const { credits, apiKey: key } = options
    this.keys.create({ isLive: false, permissions: PERMISSIONS, credits, allowIps: undefined, key })
    this.observer = new Observer(options, this.clock.now)
    const { retention } = options
    this.deliveries = new DeliveryLog(retention.deliveries)
    const chargesFailed = options.assumptions.creditsOfFailedRun === 'price'
    this.jobs = new Jobs(this.clock.now, this.#jobEnded.bind(this), {
      finishedJobs: retention.finishedJobs,
      chargesFailed,
    })
    this.jobTimers = new JobTimers(this.clock, this.jobs)
    this.receivers = new Receivers(options.deliver)
    const { clock, activity, receivers, observer, pauses, deliveries: log } = this
    this.dispatcher = new WebhookDispatcher({ clock, activity, receivers, observer, pauses, log })
  }

  /** Has all permissions; its account is the default. */
  get firstKey(): ApiKey {
    return this.keys.first
  }

  /** Forgets jobs, credits used, scripts and deliveries of an account, or of all. Keys stay. */
  reset(account?: Account): void {
    this.jobs.forget(account)
    this.dispatcher.forget(account)
    this.deliveries.forget(account)
    this.observer.journal.forget(account)
    for (const one of account === undefined ? this.keys.accounts() : [account]) one.reset()
  }

  close(): void {
    this.isClosed = true
    this.clock.close()
    this.dispatcher.close()
    this.pauses.close()
    this.deliveries.close()
    this.activity.close()
  }

  #jobEnded(job: Job, end: JobEnd, isForgotten: boolean): void {
    // A job that a reset forgot did not happen.
    if (!isForgotten) this.observer.jobEnded(job, end)
    this.jobTimers.forget(job)
    this.pauses.end(job)
    const hasDelivery = end.status !== 'cancelled' || this.options.assumptions.cancelledJobWebhook === 'sent'
    // A job that a reset forgot has no delivery.
    const webhook = hasDelivery && !this.isClosed && !isForgotten ? job.webhook : undefined
    if (webhook !== undefined) this.dispatcher.dispatch(job, webhook, deliveryBody(job, end, this.baseUrl))
    else if (job.webhook !== undefined) this.dispatcher.skip(job)
  }
}
