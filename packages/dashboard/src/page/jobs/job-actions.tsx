import { post } from '../data/control.ts'
import { pending } from '../data/store.ts'
import type { DeliveryPlan, JobRow } from '../data/wire.ts'
import { attempt, say } from '../ui/toast.tsx'

type JobAction = 'complete' | 'fail' | 'hang' | 'cancel' | 'deliver' | 'drop' | 'webhook'

function actOnJob(jobId: string, action: JobAction, body?: object): Promise<void> {
  return attempt(() => post(`jobs/${encodeURIComponent(jobId)}/${action}`, body))
}

const PLANS: readonly { label: string; plan: DeliveryPlan }[] = [
  { label: 'Deliver twice', plan: { deliveries: 2, gap_ms: 500 } },
  { label: 'Deliver 5 s late', plan: { delay_ms: 5_000 } },
  { label: 'Deliver after the next', plan: { when: 'after-next' } },
  { label: 'Lose the result', plan: { deliveries: 0 } },
]

/** What can happen to a job: its end while it runs, and the delivery of its result. */
export function JobActions({ job: { job_id, ended_at_ms, webhook_url } }: { job: JobRow }) {
  const hasWebhook = webhook_url !== undefined
  const button = (label: string, action: JobAction, body?: object) => (
    <button key={label} type="button" class="button" onClick={() => actOnJob(job_id, action, body)}>
      {label}
    </button>
  )
  if (ended_at_ms !== undefined) {
    if (!hasWebhook) return null
    return (
      <div class="buttons actions" role="group" aria-label="What happens to the result">
        {button('Send the result again', 'deliver')}
        {button('Send it again in 5 s', 'deliver', { delay_ms: 5_000 })}
        {pending.value.some((one) => one.job_id === job_id) && button('Drop what waits', 'drop')}
      </div>
    )
  }
  return (
    <div class="buttons actions" role="group" aria-label="What happens to the job">
      {button('Complete', 'complete')}
      {button('Fail', 'fail')}
      {button('Hang', 'hang')}
      {button('Cancel', 'cancel')}
      {hasWebhook &&
        PLANS.map(({ label, plan }) => (
          <button key={label} type="button" class="button quiet" onClick={() => planDelivery(job_id, plan, label)}>
            {label}
          </button>
        ))}
    </div>
  )
}

/** Sets how the result of a job that continues is delivered. */
async function planDelivery(jobId: string, plan: DeliveryPlan, label: string): Promise<void> {
  await attempt(async () => {
    await post(`jobs/${encodeURIComponent(jobId)}/webhook`, plan)
    say(`${label}: noted for this job.`)
  })
}
