import { post } from '../data/control.ts'
import type { JobRow } from '../data/wire.ts'
import { Button } from '../ui/button.tsx'

/** How a job that runs ends by hand. */
export function JobActions({ job: { job_id, ended_at_ms } }: { job: JobRow }) {
  if (ended_at_ms !== undefined) return null
  return (
    <div class="buttons doings" role="group" aria-label="What happens to the job">
      {['Complete', 'Fail'].map((name) => (
        <Button key={name} act={() => post(`jobs/${encodeURIComponent(job_id)}/${name.toLowerCase()}`)}>
          {name}
        </Button>
      ))}
    </div>
  )
}
