import type { Assumptions } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'
import { chargeOf, durationMs, type Job } from './job.ts'

/** The name of a member that is shown for a status: `failed/logs` for one of them, `logs` for all. */
function nameIn(field: string, status: string): string | undefined {
  const name = field.slice(field.indexOf('/') + 1)
  return name === field || field.startsWith(`${status}/`) ? name : undefined
}

/** What the server knows of a job beyond status, output and error; `null` for anything else. */
export function jobField(job: Job, name: string): unknown {
  const { id, requestId, account, model, createdAt, end } = job
  const known = new Map<string, unknown>([
    ['job_id', id],
    ['id', id],
    ['request_id', requestId],
    ['model_id', model.id],
    ['created_at', new Date(createdAt).toISOString()],
    ['completed_at', end && new Date(end.at).toISOString()],
    ['duration_ms', end && durationMs(job, end)],
    ['credits_used', end && chargeOf(job, end)],
    ['credits_remaining', account.credits.left],
  ])
  return known.get(name) ?? null
}

/** Members of a body that the specification does not name, for its status. */
export function moreFields(fields: readonly string[], status: string, member: (name: string) => unknown): object {
  const names = fields.flatMap((field) => nameIn(field, status) ?? [])
  return Object.fromEntries(names.map((name) => [name, member(name)]))
}

/** An error with the members that an assumption gives it beside code and message. What it has itself stays. */
export function errorWith<ApiError extends object>(
  error: ApiError,
  { error: more }: NonNullable<Assumptions['errorMembers']['jobs']> = {},
): ApiError {
  return { ...(isRecord(more) ? more : {}), ...error }
}
