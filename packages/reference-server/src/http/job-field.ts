import { chargeOf, durationMs, type Job } from '../domain/job.ts'

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
