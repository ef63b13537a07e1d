import { closestName } from '@modelrun/kit'
import { takeInputFunction } from '../domain/input-condition.ts'
import { unknownModelText } from '../domain/list-models.ts'
import { parseCopy, type ShapeCheck } from '../shared/parse-shape.ts'
import { FAULT_KINDS, type FaultKind, type FaultOptions, faultOptionsSchema, momentOf } from './fault-options.ts'
import { routeProblem } from './fault-route.ts'

type Name = keyof FaultOptions

const OPTION_NAMES: readonly string[] = Object.keys(faultOptionsSchema.shape)

/** The options that only these kinds take. */
const KINDS_OF: Readonly<Partial<Record<Name, readonly FaultKind[]>>> = {
  delay_ms: ['slow-headers', 'slow-body'],
  bytes: ['truncated-body'],
  retry_after: ['rate-limit', 'unavailable'],
  retry_after_as_date: ['rate-limit', 'unavailable'],
  status: ['response'],
  headers: ['response'],
  body: ['response'],
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/** Why a kind happens at one moment only. */
const ONLY_MOMENT: Readonly<Partial<Record<FaultKind, { when: 'before' | 'after'; why: string }>>> = {
  refused: { when: 'before', why: 'without a connection no work is done' },
  'slow-body': { when: 'after', why: 'the response to the work comes slowly' },
  'truncated-body': { when: 'after', why: 'the response to the work is cut' },
}

/** Checks an untrusted fault; the message says where it is wrong. */
export function readFault(value: unknown, models: ReadonlyMap<string, unknown>): ShapeCheck<FaultOptions> {
  const message = nameProblem(value)
  if (message !== undefined) return { ok: false, message }
  const { json, putBack } = takeInputFunction(value)
  const checked = parseCopy(faultOptionsSchema, json)
  if (!checked.ok) return checked
  const problem = momentProblem(checked.value) ?? optionProblem(checked.value) ?? modelProblem(checked.value, models)
  return problem === undefined ? { ok: true, value: putBack(checked.value) } : { ok: false, message: problem }
}

/** Unknown names come first: a schema would list what exists, and not suggest what was meant. */
function nameProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const unknown = Object.keys(value).find((name) => !OPTION_NAMES.includes(name))
  if (unknown !== undefined) return `A fault has no ${quote(unknown)}. ${advice(unknown, OPTION_NAMES)}`
  const { kind, route }: { kind?: unknown; route?: unknown } = value
  if (typeof kind === 'string' && !FAULT_KINDS.some((known) => known === kind)) {
    return `/kind: there is no kind ${quote(kind)}. ${advice(kind, FAULT_KINDS)}`
  }
  return typeof route === 'string' ? routeProblem(route) : undefined
}

function advice(name: string, known: readonly string[]): string {
  const closest = closestName(name, known)
  return closest === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${quote(closest)}?`
}

function momentProblem(fault: FaultOptions): string | undefined {
  const { kind } = fault
  const when = momentOf(fault)
  const only = ONLY_MOMENT[kind]
  if (when === undefined || only === undefined || only.when === when) return undefined
  return `/when: ${kind} cannot come ${when} the work: ${only.why}. Leave it out.`
}

function optionProblem(fault: FaultOptions): string | undefined {
  const { kind, retry_after, retry_after_as_date, status, body } = fault
  for (const [name, kinds] of Object.entries(KINDS_OF)) {
    if (Reflect.get(fault, name) === undefined || kinds.includes(kind)) continue
    return `/${name} goes with ${kinds.join(' and ')} only, not with ${kind}.`
  }
  if (retry_after_as_date && typeof (retry_after ?? 0) === 'string') {
    return '/retry_after must be a number of seconds to be sent as a date.'
  }
  if (status !== undefined && body !== undefined && WITHOUT_BODY.includes(status)) {
    return `/body: a response with the status ${status} has none.`
  }
  return undefined
}

function modelProblem({ model }: FaultOptions, models: ReadonlyMap<string, unknown>): string | undefined {
  return model === undefined || models.has(model) ? undefined : `/model: ${unknownModelText(model, models)}`
}

/** Not the whole of it: a request can carry a name of a megabyte. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80))
}
