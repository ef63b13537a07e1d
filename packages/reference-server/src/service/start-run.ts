import type { RunRequest } from '@modelrun/contract'
import type { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job } from '../domain/job.ts'
import { planJob } from '../domain/plan-job.ts'
import type { Service } from './service.ts'

/** A run whose input is checked, defaults filled in. */
export interface RunOrder extends RunRequest {
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
  if (!account.credits.reserve(model.pricing.credits_per_run)) return undefined
  const script = account.takeScript(model.id)
  const createdAt = service.clock.now()
  const queuedMs = order.sync === false ? service.options.assumptions.queuedMs : 0
  const fileSeed = service.random.fileSeed()
  const job = service.jobs.create({
    id: service.random.id('job_'),
    requestId: service.random.id('req_'),
    account,
    model,
    input,
    seed: typeof input.seed === 'number' ? input.seed : fileSeed,
    createdAt,
    plan: planJob({ model, script, createdAt, queuedMs }),
    webhook: webhook_url === undefined ? undefined : { url: webhook_url, ...script?.webhook },
  })
  if (job.webhook !== undefined) service.jobTimers.watch(job)
  return job
}
