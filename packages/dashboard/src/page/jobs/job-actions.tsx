import { post } from '../data/control.ts'
import type { JobRow, Life } from '../data/wire.ts'
import { linkTo } from '../route.ts'
import { Button } from '../ui/button.tsx'

/** What can happen to a job: its end while it runs, and the delivery of its result. */
export function JobActions({ job: { job_id, ended_at_ms, webhook_url } }: { job: JobRow }) {
  const call = (action: string) => post(`jobs/${encodeURIComponent(job_id)}/${action}`)
  if (ended_at_ms !== undefined) {
    if (webhook_url === undefined) return null
    return (
      <div class="buttons actions">
        <Button act={() => call('deliver')}>Send the result again</Button>
      </div>
    )
  }
  return (
    <div class="buttons actions" role="group" aria-label="What happens to the job">
      {['Complete', 'Fail', 'Cancel'].map((name) => (
        <Button key={name} act={() => call(name.toLowerCase())}>
          {name}
        </Button>
      ))}
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
