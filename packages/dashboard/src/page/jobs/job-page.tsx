import { useState } from 'preact/hooks'
import { nextChange, now } from '../data/clock.ts'
import type { Exchange, JobRow, Life } from '../data/wire.ts'
import { Diagram } from '../diagram/diagram.tsx'
import { foldPolls } from '../diagram/fold-polls.ts'
import { isBad } from '../diagram/labels.ts'
import { isSame, startOf } from '../diagram/layout.ts'
import { linkTo, route } from '../route.ts'
import { formatDuration, formatTime } from '../text/format.ts'
import { CopyButton } from '../ui/button.tsx'
import { Check } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Loading, StatusBadge, statusNow } from '../ui/parts.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { JobActions } from './job-actions.tsx'
import { JobOutput } from './job-output.tsx'
import { outcomeText } from './outcome.ts'
import { RunAgain } from './run-again.tsx'
import { useLife } from './use-life.ts'

export function JobPage({ id }: { id: string }) {
  const life = useLife(id)
  const { with: otherId } = route.value.query
  const other = useLife(otherId)
  if (life.value === 'missing') {
    return (
      <Empty isWhole icon="jobs" title="There is no such job">
        The server keeps the newest, until a reset. <a href={linkTo('activity')}>All activity</a>
      </Empty>
    )
  }
  if (life.value === undefined) return <Loading what="the job" />
  const { job } = life.value
  const compared = typeof other.value === 'object' ? other.value : undefined
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
        {compared && (
          <p class="outcome">
            Compared with <a href={linkTo('jobs', compared.job.job_id)}>{compared.job.job_id}</a>, on the right:{' '}
            {outcomeNow(compared)}
          </p>
        )}
        {job.code !== undefined && (
          <p class="notice bad">
            <strong class="mono">{job.code}</strong> {job.message}
          </p>
        )}
        <Facts job={job} />
      </header>
      <div class="doings">
        <RunAgain life={life.value} />
        <JobActions job={job} />
      </div>
      <Diagrams key={id} life={life.value} other={compared} />
    </article>
  )
}

/** The time that passed is in whole seconds: what screen readers read must not change with each tick. */
function outcomeNow(life: Life): string {
  const { job } = life
  const passedMs = Math.floor((now.value - job.created_at_ms) / 1_000) * 1_000
  return outcomeText({ ...life, job: { ...job, status: statusNow(job) } }, job.created_at_ms + passedMs)
}

function Facts({ job }: { job: JobRow }) {
  const nextMs = (nextChange(job) ?? 0) - now.value
  const facts = [
    `Created ${formatTime(job.created_at_ms)} UTC`,
    `key ${job.key}`,
    nextMs > 0 && `next change in ${formatDuration(nextMs)}`,
  ]
  return <p class="muted facts">{facts.filter(Boolean).join(' · ')}</p>
}

/** What is shown first: the last of what went wrong. */
function isCause(exchange: Exchange): boolean {
  return exchange.kind === 'job' ? exchange.to === 'failed' : isBad(exchange)
}

interface DiagramsProps {
  life: Life
  other: Life | undefined
}

function Diagrams({ life, other }: DiagramsProps) {
  const [chosen, choose] = useState<Exchange>()
  const [isUnfolded, unfold] = useState(false)
  const lives = other === undefined ? [life] : [life, other]
  const { at } = route.value.query
  const all = lives.flatMap(({ exchanges }) => exchanges)
  const found = all.find((one) => (chosen === undefined ? String(one.end_place) === at : isSame(one, chosen)))
  const shown = found ?? life.exchanges.findLast(isCause) ?? life.exchanges[0]
  const owner = lives.find(({ exchanges }) => shown !== undefined && exchanges.includes(shown)) ?? life
  return (
    <div class={other === undefined ? 'split' : 'split pair'}>
      <section class="card" aria-label="Sequence diagram">
        <Diagram lives={lives} isFolded={!isUnfolded} active={shown} onChoose={choose} />
        <div class="checks">
          {foldPolls(life.exchanges).some(({ folded }) => folded > 0) && (
            <Check label="Show every poll" value={isUnfolded} set={unfold} />
          )}
        </div>
      </section>
      <div class="side">
        {life.job.status === 'succeeded' && <JobOutput jobId={life.job.job_id} />}
        <ExchangePanel exchange={shown} startMs={startOf(owner)} />
      </div>
    </div>
  )
}
