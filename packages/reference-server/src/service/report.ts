import type { KnownJobStatus } from '@modelrun/contract'
import type { Account } from '../domain/account.ts'
import type { FaultRecord } from '../domain/account-faults.ts'
import { statusAt } from '../domain/job.ts'
import type { Service } from './service.ts'

/** What is left over, of one account or of all. Empty when the test used everything that it set up. */
export interface Report {
  /** Whether nothing is left over. */
  readonly isClean: boolean
  /** Jobs that are still `queued` or `processing`. */
  readonly unfinishedJobs: readonly { job_id: string; model_id: string; status: KnownJobStatus }[]
  /** Results on their way: their delivery is held back, or its receiver has not responded. */
  readonly pendingWebhooks: readonly { job_id: string; url: string }[]
  /** Faults that were injected less often than they should: never, or not `times` times. */
  readonly unusedFaults: readonly FaultRecord[]
  /** Outcomes that no run has taken. */
  readonly unusedScripts: readonly { model_id: string; outcomes: number }[]
  /** Requests for a path or method that the service does not have. */
  readonly unmatchedRequests: readonly { method: string; path: string; status: number }[]
  /** The same for people. */
  readonly text: string
}

function linesOf(leftovers: Omit<Report, 'isClean' | 'text'>): string[] {
  return [
    ...leftovers.unfinishedJobs.map(
      ({ job_id, model_id, status }) => `- The job ${job_id} of ${model_id} is ${status}. Wait for it, or cancel it.`,
    ),
    ...leftovers.pendingWebhooks.map(
      ({ job_id, url }) =>
        `- The result of job ${job_id} is still on its way to ${url}. Wait for server.webhooks.next().`,
    ),
    ...leftovers.unusedFaults.map(
      ({ id, fault, used }) =>
        `- ${id} (${fault.kind}) was injected ${used} of ${fault.times ?? 1} times. Did the request that it is for happen?`,
    ),
    ...leftovers.unusedScripts.map(
      ({ model_id, outcomes }) =>
        `- No run of ${model_id} has taken ${outcomes === 1 ? 'its scripted outcome' : `${outcomes} scripted outcomes`}.`,
    ),
    ...leftovers.unmatchedRequests.map(
      ({ method, path, status }) => `- ${method} ${path} is not a request of the service: ${status}.`,
    ),
  ]
}

/** Thrown when something is left over at the end of a test. The message lists it. */
export class LeftoversError extends Error {
  override readonly name = 'LeftoversError'
  /** Everything that is left over. */
  readonly report: Report

  constructor(report: Report) {
    super(report.text)
    this.report = report
  }
}

/** What is left over of an account, or of all and of requests without a key. */
export function makeReport(service: Service, account?: Account): Report {
  const now = service.jobs.settle()
  const accounts = account === undefined ? [...service.keys.accounts()] : [account]
  const jobs = service.jobs.unfinished().filter((job) => account === undefined || job.account === account)
  const leftovers = {
    unfinishedJobs: jobs.map((job) => ({ job_id: job.id, model_id: job.model.id, status: statusAt(job, now) })),
    pendingWebhooks: service.dispatcher
      .pendingDeliveries(account)
      .map(({ job, webhook }) => ({ job_id: job.id, url: webhook.url })),
    unusedFaults: accounts.flatMap(({ faults }) => faults.list()).filter(({ unused }) => unused),
    unusedScripts: accounts.flatMap((one) => one.waitingScripts()),
    unmatchedRequests: unmatchedRequests(service, account),
  }
  const lines = linesOf(leftovers)
  const text = lines.length === 0 ? 'Nothing is left over.' : ['Left over:', ...lines].join('\n')
  return { isClean: lines.length === 0, ...leftovers, text }
}

function unmatchedRequests({ observer }: Service, account: Account | undefined): Report['unmatchedRequests'] {
  return observer.journal.records(account).flatMap(({ entry }) => {
    if (entry.kind !== 'request' || entry.route !== undefined || (entry.status !== 404 && entry.status !== 405))
      return []
    const { method, path, status } = entry
    return [{ method, path, status }]
  })
}
