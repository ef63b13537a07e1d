import type { Account } from '../../domain/account.ts'
import { statusAt } from '../../domain/job.ts'
import type { Service } from '../../service/service.ts'
import { type Report, reportOf } from './report.ts'

/** What is left over of an account, or of all and of requests without a key. */
export function makeReport(service: Service, account?: Account): Report {
  const now = service.jobs.settle()
  const accounts = account === undefined ? [...service.keys.accounts()] : [account]
  const jobs = service.jobs.unfinished().filter((job) => account === undefined || job.account === account)
  return reportOf({
    unfinishedJobs: jobs.map((job) => ({ job_id: job.id, model_id: job.model.id, status: statusAt(job, now) })),
    pendingWebhooks: service.dispatcher
      .pending(account)
      .map(({ id: job_id, webhook }) => ({ job_id, url: webhook.url })),
    unusedFaults: accounts.flatMap((one) => service.faults.of(one).list()).filter(({ unused }) => unused),
    unusedScripts: accounts.flatMap((one) => one.waitingScripts()),
    unmatchedRequests: service.observer.unmatched.of(account),
    violations: service.observer.violationsOf(account),
  })
}
