import * as z from 'zod/mini'
import { readFault } from '../domain/read-fault.ts'
import { invalidMessage } from '../shared/parse-shape.ts'
import { accountOf, get, post, rejected, remove } from './route.ts'

/** The fault and, beside it, whose; the fault itself is checked as everywhere. */
const bodySchema = z.looseObject({ key: z.optional(z.string()) })

/** Making requests go wrong. `POST` adds a fault, `GET` lists them, `DELETE` removes one (`?id=`) or all. */
export const FAULT_ROUTES = [
  post('addFault', 'faults').taking(bodySchema, (service, { key, ...fault }) => {
    const faults = accountOf(service, key).faults
    const checked = readFault(fault, service.models)
    if (!checked.ok) throw rejected('VALIDATION_ERROR', invalidMessage('fault', checked.message))
    return { id: faults.add(checked.value).id }
  }),
  get('listFaults', 'faults', (service, { req }) => ({
    faults: accountOf(service, req.query('key')).faults.list(),
  })),
  remove('removeFaults', 'faults', (service, { req }) => {
    const faults = accountOf(service, req.query('key')).faults
    const id = req.query('id')
    if (id === undefined) return { removed: faults.clear() }
    if (faults.remove(id)) return { removed: 1 }
    throw rejected('NOT_FOUND', `This account has no fault ${JSON.stringify(id.slice(0, 60))}.`)
  }),
]
