import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import { jobs, version } from '../data/store.ts'
import type { Fault, Life } from '../data/wire.ts'
import { changeQuery, linkTo, route } from '../route.ts'
import { MakeTest } from '../test/test-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Pick } from './job-actions.tsx'
import { faultsOf } from './outcome.ts'

/** So many other jobs are offered to compare with, the newest. */
const MAX_OTHERS = 50

/** What one does with a job that is over: again, beside another one, or as a test. */
export function RunAgain({ life }: { life: Life }) {
  version.value
  const faults = faultsOf(life)
  const others = jobs()
    .filter(({ job_id }) => job_id !== life.job.job_id)
    .slice(-MAX_OTHERS)
    .reverse()
    .map(({ job_id, model_id, status, text = '' }) => [
      job_id,
      `${job_id.slice(0, 10)}… ${status}, ${model_id} ${text}`.slice(0, 70),
    ])
  return (
    <div class="buttons" role="group" aria-label="Again, compare, test">
      <Button kind="primary" icon="play" act={() => runAgain(life, [])}>
        Run again
      </Button>
      {faults.length > 0 && (
        <Button icon="bolt" act={() => runAgain(life, faults)}>
          Run again with the same faults
        </Button>
      )}
      {others.length > 0 && (
        <Pick
          label="Compare with …"
          options={Object.fromEntries(others)}
          value={route.value.query.with}
          set={(id) => changeQuery({ with: id })}
        />
      )}
      <MakeTest life={life} />
    </div>
  )
}

/** The server sends the run as a client does, and the page shows the new job. */
async function runAgain({ job, exchanges }: Life, faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) await post('faults', { ...fault, ...ofKey() })
  const run = exchanges.find((one) => one.kind === 'request' && one.route === 'runModel' && one.job_id !== undefined)
  const isAsync = run?.kind === 'request' && run.job_status === 'queued'
  const sent = { again: job.job_id, ...(isAsync && { sync: false }) }
  let message: string | undefined
  // Each attempt that fails is a request of its own, as it was the first time.
  for (let left = faults.length; left >= 0; left--) {
    const outcome = await post<{ job_id?: string; message?: string }>('runs', sent)
    if (outcome.job_id !== undefined) {
      location.hash = linkTo('jobs', outcome.job_id)
      return
    }
    message = outcome.message
  }
  throw new Error(message ?? 'The run has no response yet.')
}
