import type { Assumptions } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'
import { chargeOf, durationMs, type Job } from './job.ts'

/** The name of a member that is shown for a status: `failed/logs` for one of them, `logs` for all. */
function nameIn(field: string, status: string): string | undefined {
  const name = field.slice(field.indexOf('/') + 1)
  return name === field || field.startsWith(`${status}/`) ? name : undefined
}

type Values = Assumptions['memberValues']

/** The body of a member: the status that it says, and whether it is the response to a run. */
interface Place {
  status: string
  values: Values
  isOfRun?: boolean
}

/** A member that the specification does not name: what the server knows of the job, else as `memberValues` say. */
export function jobField(job: Job | undefined, name: string, { status, values, isOfRun = false }: Place) {
  const given = new Map(Object.entries(values))
  const fields = [...(isOfRun ? [`runs/${status}/${name}`] : []), `${status}/${name}`, name]
  const example = fields.map((field) => given.get(field)).find((value) => value !== undefined)
  // It repeats the request.
  if (job !== undefined && job.webhook === undefined && /^webhook_?url$/i.test(name)) return undefined
  return example === null ? null : inForm(job && knownOf(job, name), example ?? null)
}

/** The server knows `createdAt` as well as `created_at`. */
function knownOf(job: Job, name: string): unknown {
  const { id, requestId, account, model, createdAt, end, webhook } = job
  const known = new Map<string, unknown>([
    ['job_id', id],
    ['id', id],
    ['request_id', requestId],
    ['model_id', model.id],
    ['created_at', new Date(createdAt)],
    ['completed_at', end && new Date(end.at)],
    ['duration_ms', end && durationMs(job, end)],
    ['credits_used', end && chargeOf(job, end)],
    ['credits_remaining', account.credits.left],
    ['webhook_url', webhook?.url],
  ])
  return known.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

/** Numbers from here on are milliseconds since 1970; smaller ones are seconds. */
const LEAST_MS = 100_000_000_000

/** A known value as the example has it. One of another type shows that the service means something else by that name. */
export function inForm(known: unknown, example: unknown): unknown {
  if (!(known instanceof Date)) {
    const isKnown = known !== undefined && (example === null || typeof known === typeof example)
    return isKnown ? known : example
  }
  const ms = known.getTime()
  if (typeof example !== 'number') return known.toISOString()
  return example >= LEAST_MS ? ms : Number.isInteger(example) ? Math.floor(ms / 1_000) : ms / 1_000
}

/** Members of a body that the specification does not name, for its status. */
export function moreFields(fields: readonly string[], status: string, member: (name: string) => unknown): object {
  const names = fields.flatMap((field) => nameIn(field, status) ?? [])
  return Object.fromEntries(names.map((name) => [name, member(name)]))
}

/** An error with the members that an assumption gives it beside code and message, also of its job. What it has itself stays. */
export function errorWith<ApiError extends object>(
  error: ApiError,
  { error: more }: NonNullable<Assumptions['errorMembers']['jobs']> = {},
  job?: Job,
): ApiError {
  const members = Object.entries(isRecord(more) ? more : {})
  const shown = (name: string, value: unknown) => (job && value !== null ? inForm(knownOf(job, name), value) : value)
  return { ...Object.fromEntries(members.map(([name, value]) => [name, shown(name, value)])), ...error }
}
