import { LIMITS } from '@modelrun/contract'
import type { LoggedEvent } from '../clock/event-log.ts'
import { chargeOf, type Job, type JobEnd } from '../domain/job.ts'
import type { DeliveryRecord } from '../webhooks/delivery-record.ts'

export function jobEnded(job: Job, end: JobEnd): LoggedEvent {
  const { id, model } = job
  const credits = chargeOf(job, end)
  const reason = end.status === 'failed' ? `, ${end.error?.code}` : ''
  const text = `job ${id} (${model.id}) ${end.status}${reason}: ${credits} credits charged`
  return { at: end.at, kind: 'job_ended', job_id: id, text }
}

export function holdEnded({ id, model }: Job, at: number): LoggedEvent {
  const text = `the run of ${model.id} was held for ${LIMITS.syncWaitMs / 1_000} s and gets a 202: job ${id} continues`
  return { at, kind: 'hold_ended', job_id: id, text }
}

export function deliveryEnded({ job_id, url, outcome, status, reason, finishedAt }: DeliveryRecord): LoggedEvent {
  const detail = [status, reason].filter((part) => part !== undefined).join(' ')
  const text = `webhook of job ${job_id} to ${url}: ${outcome.replace('_', ' ')}${detail && ` (${detail})`}`
  return { at: finishedAt, kind: 'delivery_ended', job_id, text }
}
