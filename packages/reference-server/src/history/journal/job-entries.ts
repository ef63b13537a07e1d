import type { Job, JobEnd } from '../../domain/job.ts'
import type { JobEntry } from './journal-entry.ts'

/** That a job was created. */
export function jobCreation(job: Job): JobEntry {
  return entryOf(job, { at: job.createdAt, to: job.processingAt > job.createdAt ? 'queued' : 'processing' })
}

/** That a job left the queue, if it was in it and has left it by `now`: no timer tells when. */
export function jobStart(job: Job, now: number): JobEntry[] {
  const { createdAt, processingAt } = job
  const hasLeft = createdAt < processingAt && processingAt <= now
  return hasLeft ? [entryOf(job, { at: processingAt, from: 'queued', to: 'processing' })] : []
}

/** That a job ended. */
export function jobEnding(job: Job, { at, status, error, isCharged }: JobEnd): JobEntry {
  const from = at < job.processingAt ? 'queued' : 'processing'
  return { ...entryOf(job, { at, from, to: status }), code: error?.code, ...(isCharged ? { isCharged } : {}) }
}

function entryOf({ id, account, model }: Job, change: Pick<JobEntry, 'at' | 'from' | 'to'>): JobEntry {
  const credits = model.pricing.credits_per_run
  return { kind: 'job', ...change, key: account.name, job_id: id, model_id: model.id, credits }
}
