import { PLANS } from '../controls/plans.tsx'
import { post } from '../data/control.ts'
import { pending } from '../data/store.ts'
import type { JobRow, Life } from '../data/wire.ts'
import { linkTo } from '../route.ts'
import { Button } from '../ui/button.tsx'
import { attempt, say } from '../ui/toast.tsx'

/** What can happen to a job: its end while it runs, and the delivery of its result. */
export function JobActions({ job: { job_id, ended_at_ms, webhook_url } }: { job: JobRow }) {
  const call = (action: string, body?: object) => post(`jobs/${encodeURIComponent(job_id)}/${action}`, body)
  const hasWebhook = webhook_url !== undefined
  if (ended_at_ms !== undefined) {
    if (!hasWebhook) return null
    return (
      <div class="buttons actions" role="group" aria-label="What happens to the result">
        <Button act={() => call('deliver')}>Send the result again</Button>
        <Button act={() => call('deliver', { delay_ms: 5_000 })}>Send it again in 5 s</Button>
        {pending.value.some((one) => one.job_id === job_id) && (
          <Button act={() => call('drop')}>Drop what waits</Button>
        )}
      </div>
    )
  }
  const plan = async (name: string) => {
    await call('webhook', PLANS[name])
    say(`Noted for this job: ${name}.`)
  }
  return (
    <div class="buttons actions" role="group" aria-label="What happens to the job">
      {['Complete', 'Fail', 'Hang', 'Cancel'].map((name) => (
        <Button key={name} act={() => call(name.toLowerCase())}>
          {name}
        </Button>
      ))}
      {hasWebhook && (
        <select
          class="pick"
          aria-label="Deliver its result …"
          value=""
          onChange={({ currentTarget }) => attempt(() => plan(currentTarget.value))}
        >
          <option value="">Deliver its result …</option>
          {Object.keys(PLANS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </div>
  )
}

/** Sends the run of a job again. The server sends it as a client does, and the page shows the new job. */
export function RunAgain({ life: { job, exchanges } }: { life: Life }) {
  const runAgain = async () => {
    const run = exchanges.find((one) => one.kind === 'request' && one.route === 'runModel' && one.job_id !== undefined)
    const isAsync = run?.kind === 'request' && run.job_status === 'queued'
    const sent = { again: job.job_id, ...(isAsync && { sync: false }) }
    const { job_id, message } = await post<{ job_id?: string; message?: string }>('runs', sent)
    if (job_id === undefined) throw new Error(message ?? 'The run has no response yet.')
    location.hash = linkTo('jobs', job_id)
  }
  return (
    <Button kind="primary" icon="play" act={runAgain}>
      Run again
    </Button>
  )
}
