import type { RunRequest } from '@modelrun/contract'
import type { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job } from '../domain/job.ts'
import { latencyMs, planJob } from '../domain/plan-job.ts'
import type { ScriptedOutcome, ScriptedWebhook } from '../domain/scripted-outcome.ts'
import type { Service } from './service.ts'

/** A run whose input is checked, defaults filled in. */
export interface RunOrder extends RunRequest {
  /** The input as it was sent. */
  sentInput: unknown
  account: Account
  model: CatalogModel
}

/**
 * Creates the job of a run.
 *
 * @returns `undefined` when the account has too few credits
 */
export function startRun(service: Service, order: RunOrder): Job | undefined {
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
  const ownLatencyMs = latencyMs(service.options.latencyOf(model.id) ?? model.latency_ms, fileSeed)
  const plan = planJob({ latencyMs: ownLatencyMs, script, createdAt, queuedMs })
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
function turnOf({ options }: Service, { account, model }: RunOrder): ScriptedOutcome | undefined {
  const turn = account.takeTurn(model)
  return turn && options.latencyOf(model.id) !== undefined ? { ...turn, after_ms: undefined } : turn
}

/** A job whose webhook comes before the response to its run takes no time, unless its script sets one. */
function inTime(
  script: ScriptedOutcome | undefined,
  webhook: ScriptedWebhook | undefined,
): ScriptedOutcome | undefined {
  return webhook?.when === 'before-response' ? { result: 'succeeded', after_ms: 0, ...script } : script
}
