import * as z from 'zod/mini'
import type { AccountFaults } from '../faults/account-faults.ts'
import { readFault } from '../faults/read-fault.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Service } from '../service/service.ts'
import { type ControlRoute, findAccount, unknownKey } from './route.ts'

/** Making requests go wrong. `POST` adds a fault, `GET` lists them, `DELETE` removes one (`?id=`) or all. */
export const FAULT_ROUTES = [
  { operationId: 'addFault', method: 'POST', name: 'faults', handler: addFaultRoute },
  { operationId: 'listFaults', method: 'GET', name: 'faults', handler: listFaultsRoute },
  { operationId: 'removeFaults', method: 'DELETE', name: 'faults', handler: removeFaultsRoute },
] as const satisfies readonly ControlRoute[]

/** The fault and, beside it, whose; the fault itself is checked as everywhere. */
const bodySchema = z.looseObject({ key: z.optional(z.string()) })

async function addFaultRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, bodySchema)
  if (!body.ok) return body.errorResponse
  const { key, ...fault } = body.value
  return withFaults(service, key, (faults) => {
    const checked = readFault(fault, service.models)
    return checked.ok
      ? jsonResponse(200, { id: faults.add(checked.value).id })
      : errorResponses.invalid(`The fault is not right. ${checked.message}`)
  })
}

function listFaultsRoute(service: Service, { req }: AppContext): Response {
  return withFaults(service, req.query('key'), (faults) => jsonResponse(200, { faults: faults.list() }))
}

function removeFaultsRoute(service: Service, { req }: AppContext): Response {
  const id = req.query('id')
  return withFaults(service, req.query('key'), (faults) => {
    if (id === undefined) return jsonResponse(200, { removed: faults.clear() })
    if (faults.remove(id)) return jsonResponse(200, { removed: 1 })
    return errorResponses.notFound(`This account has no fault ${JSON.stringify(id.slice(0, 60))}.`)
  })
}

function withFaults(service: Service, key: string | undefined, respond: (faults: AccountFaults) => Response): Response {
  const account = findAccount(service, key)
  return account === undefined ? unknownKey() : respond(service.faults.of(account))
}
