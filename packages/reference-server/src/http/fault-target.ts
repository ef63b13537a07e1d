import type { Account } from '../domain/account.ts'
import type { FaultTarget } from '../faults/account-faults.ts'
import type { FaultRoute } from '../faults/fault-options.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'

/** What the faults that may strike a request are chosen by; `undefined` when it belongs to no account. */
export function faultTarget(
  service: Service,
  route: FaultRoute,
  context: AppContext,
): (FaultTarget & { account: Account }) | undefined {
  const { req } = context
  if (route === 'getFile') {
    const job = service.jobs.find(req.param('job') ?? '')
    return job && { route, account: job.account, model: job.model.id }
  }
  const { account } = context.get('apiKey')
  switch (route) {
    case 'listModels':
      return { route, account, model: undefined }
    case 'getModel':
      return { route, account, model: req.param('id') }
    case 'runModel':
      return { route, account, model: req.param('model') }
    case 'getJob':
    case 'cancelJob': {
      const job = service.jobs.find(req.param('id') ?? '')
      return { route, account, model: job?.account === account ? job.model.id : undefined }
    }
  }
}
