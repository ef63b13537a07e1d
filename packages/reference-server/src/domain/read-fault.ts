import { parseCopy, type ShapeCheck } from '../shared/parse-shape.ts'
import { type FaultKind, type FaultOptions, faultOptionsSchema, MOMENT_OF_KIND, momentOf } from './fault-options.ts'
import { readInputCondition } from './input-condition.ts'
import { unknownModelText } from './list-models.ts'

/** The options that only these kinds take. */
const KINDS_OF: Readonly<Record<string, readonly FaultKind[]>> = {
  delay_ms: ['slow-headers', 'slow-body'],
  bytes: ['truncated-body'],
  retry_after: ['rate-limit', 'unavailable'],
  status: ['response'],
  headers: ['response'],
  body: ['response'],
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/** Checks an untrusted fault; the message says where it is wrong. */
export function readFault(value: unknown, models: ReadonlyMap<string, unknown>): ShapeCheck<FaultOptions> {
  const { json, putBack } = readInputCondition(value)
  const checked = parseCopy(faultOptionsSchema, json)
  if (!checked.ok) return checked
  const message = findProblem(checked.value, models)
  return message === undefined ? { ok: true, value: putBack(checked.value) } : { ok: false, message }
}

function findProblem(fault: FaultOptions, models: ReadonlyMap<string, unknown>): string | undefined {
  const { kind, model, status, body } = fault
  const moment = momentOf(fault)
  if ((MOMENT_OF_KIND[kind] ?? moment) !== moment) return `/when: ${kind} cannot come ${moment} the work. Leave it out.`
  for (const name of Object.keys(fault)) {
    const kinds = KINDS_OF[name] ?? [kind]
    if (!kinds.includes(kind)) return `/${name} goes with ${kinds.join(' and ')} only, not with ${kind}.`
  }
  if (status !== undefined && body !== undefined && WITHOUT_BODY.includes(status)) {
    return `/body: a response with the status ${status} has none.`
  }
  return model === undefined || models.has(model) ? undefined : `/model: ${unknownModelText(model, models)}`
}
