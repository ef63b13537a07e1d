import type { Account } from '../domain/account.ts'
import type { FaultTarget } from '../faults/account-faults.ts'
import type { FaultEndpoint } from '../faults/fault-route.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'

/** What the faults that may strike a request are chosen by; `undefined` when it belongs to no account. */
export function faultTarget(
  service: Service,
  endpoint: FaultEndpoint,
  context: AppContext,
): (FaultTarget & { account: Account }) | undefined {
  const { method, path } = context.req
  const whose = accountAndModel(service, endpoint, context)
  return whose && { ...whose, endpoint, method, path }
}

function accountAndModel(
  service: Service,
  endpoint: FaultEndpoint,
  context: AppContext,
): { account: Account; model: string | undefined } | undefined {
  const { req } = context
  if (endpoint === 'getFile') {
    const job = service.jobs.find(req.param('job') ?? '')
    return job && { account: job.account, model: job.model.id }
  }
  const { account } = context.get('apiKey')
  switch (endpoint) {
    case 'listModels':
      return { account, model: undefined }
    case 'getModel':
      return { account, model: req.param('id') }
    case 'runModel':
      return { account, model: req.param('model') }
    case 'getJob':
    case 'cancelJob': {
      const job = service.jobs.find(req.param('id') ?? '')
      return { account, model: job?.account === account ? job.model.id : undefined }
    }
  }
}
