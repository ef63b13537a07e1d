import { now } from '../data/clock.ts'
import type { DeliveryEntry, JobRow, JobStatus } from '../data/wire.ts'

const LABELS: Readonly<Record<JobStatus, string>> = {
  queued: 'Queued',
  processing: 'Processing',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** The status of a job now. No event says that a job leaves the queue: the time does. */
export function statusNow({ status, processing_at_ms }: JobRow): JobStatus {
  return status === 'queued' && now.value >= processing_at_ms ? 'processing' : status
}

export function StatusBadge({ status }: { status: JobStatus }) {
  return <span class={`badge ${status}`}>{LABELS[status]}</span>
}

const OUTCOMES = { delivered: 'succeeded', rejected: 'failed', timeout: 'failed', network_error: 'failed' } as const

export function OutcomeBadge({ entry: { outcome, status } }: { entry: DeliveryEntry }) {
  return (
    <span class={`badge ${OUTCOMES[outcome]}`}>
      {outcome.replace('_', ' ')}
      {status === undefined ? '' : ` ${status}`}
    </span>
  )
}
