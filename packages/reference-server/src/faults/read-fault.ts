import { closestName } from '../domain/closest-name.ts'
import { parseShape, type ShapeCheck } from '../parse-shape.ts'
import { FAULT_KINDS, type FaultKind, type FaultOptions, faultOptionsSchema } from './fault-options.ts'
import { routeProblem } from './fault-route.ts'

type Name = keyof FaultOptions

const OPTION_NAMES: readonly string[] = Object.keys(faultOptionsSchema.shape)

/** The options that only these kinds take. */
const KINDS_OF: Readonly<Partial<Record<Name, readonly FaultKind[]>>> = {
  delay_ms: ['slow-headers', 'slow-body'],
  bytes: ['truncated-body'],
  retry_after: ['rate-limit', 'unavailable'],
  retry_after_as_date: ['rate-limit', 'unavailable'],
}

/** Why a kind happens at one moment only. */
const ONLY_MOMENT: Readonly<Partial<Record<FaultKind, { when: FaultOptions['when']; why: string }>>> = {
  refused: { when: 'before', why: 'without a connection no work is done' },
  'slow-body': { when: 'after', why: 'the response to the work comes slowly' },
  'truncated-body': { when: 'after', why: 'the response to the work is cut' },
}

/** Checks an untrusted fault; the message says where it is wrong. */
export function readFault(value: unknown, models: ReadonlyMap<string, unknown>): ShapeCheck<FaultOptions> {
  const message = nameProblem(value)
  if (message !== undefined) return { ok: false, message }
  const checked = parseShape(faultOptionsSchema, value)
  if (!checked.ok) return checked
  const problem = momentProblem(checked.value) ?? optionProblem(checked.value) ?? modelProblem(checked.value, models)
  return problem === undefined ? checked : { ok: false, message: problem }
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

function momentProblem({ kind, when }: FaultOptions): string | undefined {
  const only = ONLY_MOMENT[kind]
  if (when === undefined || only === undefined || only.when === when) return undefined
  return `/when: ${kind} cannot come ${when} the work: ${only.why}. Leave it out.`
}

function optionProblem(fault: FaultOptions): string | undefined {
  const { kind, retry_after, retry_after_as_date } = fault
  for (const [name, kinds] of Object.entries(KINDS_OF)) {
    if (Reflect.get(fault, name) === undefined || kinds.includes(kind)) continue
    return `/${name} goes with ${kinds.join(' and ')} only, not with ${kind}.`
  }
  if (retry_after_as_date && typeof (retry_after ?? 0) === 'string') {
    return '/retry_after must be a number of seconds to be sent as a date.'
  }
  return undefined
}

function modelProblem({ model }: FaultOptions, models: ReadonlyMap<string, unknown>): string | undefined {
  if (model === undefined || models.has(model)) return undefined
  const closest = closestName(model, models.keys())
  const hint = closest === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${quote(closest)}?`
  return `/model: there is no model ${quote(model)}. ${hint}`
}

/** Not the whole of it: a request can carry a name of a megabyte. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80))
}
