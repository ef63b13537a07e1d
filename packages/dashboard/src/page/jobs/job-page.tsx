import { useState } from 'preact/hooks'
import { now } from '../data/clock.ts'
import { post } from '../data/control.ts'
import type { Exchange, JobRow, Life } from '../data/wire.ts'
import { Diagram } from '../diagram/diagram.tsx'
import { isBad } from '../diagram/labels.ts'
import { isSame, startOf } from '../diagram/layout.ts'
import { linkTo, route } from '../route.ts'
import { Button, CopyButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Loading, StatusBadge, statusNow } from '../ui/parts.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { JobOutput } from './job-output.tsx'
import { outcomeText } from './outcome.ts'
import { useLife } from './use-life.ts'

export function JobPage({ id }: { id: string }) {
  const life = useLife(id)
  if (life.value === 'missing') {
    return (
      <Empty isWhole icon="jobs" title="There is no such job">
        The server keeps the newest, until a reset. <a href={linkTo('activity')}>All activity</a>
      </Empty>
    )
  }
  if (life.value === undefined) return <Loading what="the job" />
  const { job } = life.value
  return (
    <article class="job" aria-label={`Job ${id}`}>
      <header class="jobhead">
        <a class="backlink" href={linkTo('activity')}>
          <Icon name="back" />
          Activity
        </a>
        <h1>
          <a href={linkTo('models', job.model_id)}>{job.model_id}</a>
        </h1>
        <StatusBadge job={job} />
        <span class="mono muted">{id}</span>
        <CopyButton label="Copy id" text={() => id} />
        <p class={`outcome ${job.status}`} role="status">
          {outcomeNow(life.value)}
        </p>
        {job.code !== undefined && (
          <p class="notice bad">
            <strong class="mono">{job.code}</strong> {job.message}
          </p>
        )}
      </header>
      <JobActions job={job} />
      <JobDiagram key={id} life={life.value} />
    </article>
  )
}

/** How a job that runs ends by hand. */
function JobActions({ job: { job_id, ended_at_ms } }: { job: JobRow }) {
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

/** The time that passed is in whole seconds: what screen readers read must not change with each tick. */
function outcomeNow(life: Life): string {
  const { job } = life
  const passedMs = Math.floor((now.value - job.created_at_ms) / 1_000) * 1_000
  return outcomeText({ ...life, job: { ...job, status: statusNow(job) } }, job.created_at_ms + passedMs)
}

function JobDiagram({ life }: { life: Life }) {
  const [chosen, choose] = useState<Exchange>()
  const { exchanges } = life
  const { at } = route.value.query
  const found = exchanges.find((one) => (chosen === undefined ? String(one.end_place) === at : isSame(one, chosen)))
  // The last of what went wrong.
  const cause = exchanges.findLast((one) => (one.kind === 'job' ? one.to === 'failed' : isBad(one)))
  const shown = found ?? cause ?? exchanges[0]
  return (
    <div class="split">
      <section class="card" aria-label="Sequence diagram">
        <Diagram life={life} active={shown} onChoose={choose} />
      </section>
      <div class="side">
        {life.output && <JobOutput life={life} />}
        <ExchangePanel exchange={shown} startMs={startOf(life)} />
      </div>
    </div>
  )
}
