import type { RunRequest } from '@modelrun/contract'
import type { ServerClock } from '../clock/clock.ts'
import type { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import { type Job, nextChangeAt, planJob } from '../domain/job.ts'
import type { Jobs } from '../domain/jobs.ts'
import type { ScriptedOutcome, ScriptedWebhook } from '../domain/scripted-outcome.ts'
import type { Observer } from '../history/journal.ts'
import type { Random } from '../shared/random.ts'
import type { ResolvedOptions } from './options.ts'

/** A run whose input is checked, defaults filled in. */
export interface RunOrder extends RunRequest {
  sentInput: unknown
  account: Account
  model: CatalogModel
}

interface RunService {
  readonly options: ResolvedOptions
  readonly clock: ServerClock
  readonly random: Random
  readonly jobs: Jobs
  readonly jobTimers: JobTimers
  readonly observer: Observer
}

/** Creates the job of a run. @returns `undefined` when the account has too few credits */
export function startRun(service: RunService, order: RunOrder): Job | undefined {
  const { account, model, input, webhook_url } = order
  service.jobs.settle() // a job that failed meanwhile gives its credits back first
  const scripted = account.findScript(model.id, order.sentInput)
  if (!account.credits.reserve(model.pricing.credits_per_run)) return undefined
  if (scripted !== undefined) account.dropScript(model.id, scripted)
  const taken = scripted ?? turnOf(service, order)
  const { deliveriesOfOneResult: deliveries, queuedMs: defaultQueueMs } = service.options.assumptions
  const webhook =
    webhook_url === undefined ? undefined : { url: webhook_url, deliveries, ...(taken?.webhook ?? account.webhook) }
  const script = inTime(taken, webhook)
  const createdAt = service.clock.now()
  const isQueued = order.sync === false
  const queuedMs = isQueued ? defaultQueueMs : 0
  const fileSeed = service.random.fileSeed()
  const latencyMs = service.options.latency ?? model.latency_ms
  const plan = planJob({ latencyMs, script, createdAt, queuedMs })
  const job = service.jobs.create({
    id: service.random.id('job_'),
    requestId: service.random.id('req_'),
    account,
    model,
    input,
    seed: typeof input.seed === 'number' ? input.seed : fileSeed,
    createdAt,
    plan,
    webhook,
  })
  service.observer.jobCreated(job)
  if (job.webhook !== undefined) service.jobTimers.schedule(job)
  return job
}

/** What the catalog has for this run. The option `latency` decides itself when it ends. */
function turnOf({ options }: RunService, { account, model }: RunOrder): ScriptedOutcome | undefined {
  const turn = account.takeTurn(model)
  return turn && options.latency !== undefined ? { ...turn, after_ms: undefined } : turn
}

/** A job whose webhook comes before the response to its run takes no time, unless its script sets one. */
function inTime(
  script: ScriptedOutcome | undefined,
  webhook: ScriptedWebhook | undefined,
): ScriptedOutcome | undefined {
  return webhook?.when === 'before-response' ? { result: 'succeeded', after_ms: 0, ...script } : script
}

/**
 * Timers for the few jobs that need one: jobs with a webhook, and, on an `auto` clock, jobs that a client polls whose own
 * waits do not run on this clock. Without a timer, time would be paused for this client.
 */
export class JobTimers {
  readonly #clock: ServerClock
  readonly #jobs: Jobs
  readonly #handles = new Map<Job, unknown>()

  constructor(clock: ServerClock, jobs: Jobs) {
    this.#clock = clock
    this.#jobs = jobs
  }

  /** Call it when a job was created or its status was read. */
  schedule(job: Job): void {
    const isAwaited = job.webhook !== undefined || this.#clock.mode === 'auto'
    if (!isAwaited || job.end !== undefined || this.#handles.has(job)) return
    const now = this.#clock.now()
    const changeAt = nextChangeAt(job, now)
    if (changeAt === undefined) return
    this.#handles.set(
      job,
      this.#clock.setTimeout(() => this.#wake(job), changeAt - now),
    )
  }

  /** The job has ended. */
  forget(job: Job): void {
    this.#clock.clearTimeout(this.#handles.get(job))
    this.#handles.delete(job)
  }

  #wake(job: Job): void {
    this.#handles.delete(job)
    this.#jobs.settle()
    if (job.webhook !== undefined) this.schedule(job)
  }
}
