import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import { jobs, version } from '../data/store.ts'
import type { Life } from '../data/wire.ts'
import { changeQuery, linkTo, route } from '../route.ts'
import { MakeTest } from '../test/test-dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { attempt, say } from '../ui/toast.tsx'
import { faultsOf } from './outcome.ts'

/** So many other jobs are offered to compare with, the newest. */
const MAX_OTHERS = 50

/** What one does with a job that is over: again, beside another one, or as a test. */
export function RunAgain({ life }: { life: Life }) {
  version.value
  const { job } = life
  const faults = faultsOf(life)
  const others = jobs()
    .filter(({ job_id }) => job_id !== job.job_id)
    .slice(-MAX_OTHERS)
    .reverse()
  return (
    <div class="buttons" role="group" aria-label="Again, compare, test">
      <button type="button" class="button primary" onClick={() => again(life, [])}>
        <Icon name="play" />
        Run again
      </button>
      {faults.length > 0 && (
        <button type="button" class="button" onClick={() => again(life, faults)}>
          <Icon name="bolt" />
          Run again with the same faults
        </button>
      )}
      {others.length > 0 && (
        <select
          class="compare"
          aria-label="Compare with another job"
          value={route.value.query.with ?? ''}
          onChange={({ currentTarget }) => changeQuery({ with: currentTarget.value })}
        >
          <option value="">Compare with …</option>
          {others.map(({ job_id, model_id, status, text = '' }) => (
            <option key={job_id} value={job_id}>
              {`${job_id.slice(0, 10)}… ${status}, ${model_id} ${text}`.slice(0, 70)}
            </option>
          ))}
        </select>
      )}
      <MakeTest life={life} />
    </div>
  )
}

/** The server sends the run as a client does, and the page shows the new job. */
function again({ job, exchanges }: Life, faults: ReturnType<typeof faultsOf>): Promise<void> {
  return attempt(async () => {
    for (const fault of faults) await post('faults', { ...fault, ...ofKey() })
    const run = exchanges.find((one) => one.kind === 'request' && one.route === 'runModel' && one.job_id !== undefined)
    const isAsync = run?.kind === 'request' && run.job_status === 'queued'
    const sent = { again: job.job_id, ...(isAsync ? { sync: false } : {}) }
    let { job_id, message } = await post<{ job_id?: string; message?: string }>('runs', sent)
    // Each attempt that failed is a request of its own, as it was the first time.
    for (let left = faults.length; job_id === undefined && left > 0; left--) {
      ;({ job_id, message } = await post<{ job_id?: string; message?: string }>('runs', sent))
    }
    if (job_id === undefined) return say(message ?? 'The run has no response yet.', true)
    location.hash = linkTo('jobs', job_id)
  })
}
