import { timeNow } from '../data/clock.ts'
import { post } from '../data/control.ts'
import type { JobRow } from '../data/wire.ts'
import { type DeliveryPlan, recordOnJob } from '../record/record.ts'
import { attempt, say } from '../ui/toast.tsx'

type JobAction = 'complete' | 'fail' | 'hang' | 'cancel' | 'again' | 'drop'

/** Does something to a job, and notes it for the test when the server did it. */
export function actOnJob(jobId: string, kind: JobAction, body?: object): Promise<void> {
  return attempt(async () => {
    const atMs = timeNow()
    await post(`jobs/${encodeURIComponent(jobId)}/${kind === 'again' ? 'deliver' : kind}`, body)
    await recordOnJob({ kind, jobId }, atMs)
  })
}

/** Sets how the result of a job that continues is delivered. */
function planDelivery(jobId: string, plan: DeliveryPlan, label: string): Promise<void> {
  return attempt(async () => {
    const atMs = timeNow()
    await post(`jobs/${encodeURIComponent(jobId)}/webhook`, plan)
    await recordOnJob({ kind: 'jobWebhook', jobId, plan }, atMs)
    say(`${label}: noted for this job.`)
  })
}

const PLANS: readonly { label: string; plan: DeliveryPlan }[] = [
  { label: 'Deliver twice', plan: { deliveries: 2, gap_ms: 500 } },
  { label: 'Deliver 5 s late', plan: { delay_ms: 5_000 } },
  { label: 'Deliver after the next', plan: { when: 'after-next' } },
  { label: 'Lose the result', plan: { deliveries: 0 } },
]

/** The actions on a job: end it, or change its delivery. */
export function JobActions({ job: { job_id, ended_at_ms, webhook_url } }: { job: JobRow }) {
  const isOver = ended_at_ms !== undefined
  const button = (label: string, kind: 'complete' | 'fail' | 'hang' | 'cancel', className = '') => (
    <button type="button" class={`button ${className}`} disabled={isOver} onClick={() => actOnJob(job_id, kind)}>
      {label}
    </button>
  )
  return (
    <div class="buttons actions" role="group" aria-label="What happens to the job">
      {!isOver && (
        <>
          {button('Complete', 'complete', 'primary')}
          {button('Fail', 'fail')}
          {button('Hang', 'hang')}
          {button('Cancel', 'cancel')}
        </>
      )}
      {!isOver &&
        webhook_url !== undefined &&
        PLANS.map(({ label, plan }) => (
          <button key={label} type="button" class="button quiet" onClick={() => planDelivery(job_id, plan, label)}>
            {label}
          </button>
        ))}
      {isOver && webhook_url !== undefined && (
        <button type="button" class="button" onClick={() => actOnJob(job_id, 'again')}>
          Send the result again
        </button>
      )}
    </div>
  )
}
