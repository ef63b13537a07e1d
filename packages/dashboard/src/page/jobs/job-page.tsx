import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { nextChange, now } from '../data/clock.ts'
import { ControlError, read } from '../data/control.ts'
import { happened, reloads, touched } from '../data/store.ts'
import type { Exchange, JobRow, Life } from '../data/wire.ts'
import { Diagram, isSame } from '../diagram/diagram.tsx'
import { ExchangePanel } from '../diagram/exchange-panel.tsx'
import { foldPolls } from '../diagram/fold-polls.ts'
import { linkTo } from '../route.ts'
import { count, formatDuration, formatTime } from '../text/format.ts'
import { StatusBadge, statusNow } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty, Loading } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { JobActions } from './job-actions.tsx'
import { JobOutput } from './job-output.tsx'
import { TimeSlider } from './time-slider.tsx'

/** A job that changes often is loaded again at most this often. */
const RELOAD_MS = 150

export function JobPage({ id }: { id: string }) {
  const isControlShown = useSignal(false)
  const life = useLife(id, isControlShown)
  const active = useSignal<Exchange | undefined>(undefined)
  const isUnfolded = useSignal(false)
  const untilMs = useSignal(Number.POSITIVE_INFINITY)
  if (life.value === 'missing') {
    return (
      <Empty isWhole icon="jobs" title="There is no such job">
        The server keeps the newest, until a reset. <a href={linkTo('jobs')}>All jobs</a>
      </Empty>
    )
  }
  if (life.value === undefined) return <Loading what="the job" />
  const { job, exchanges } = life.value
  const isLong = foldPolls(exchanges).some(({ folded }) => folded > 0)
  const chosen = active.value
  const shown = chosen && exchanges.find((exchange) => isSame(exchange, chosen))
  return (
    <article class="job" aria-label={`Job ${id}`}>
      <Head job={job} />
      <div class="split">
        <section class="card" aria-label="Sequence diagram">
          <Diagram life={life.value} isFolded={!isUnfolded.value} active={active} untilMs={untilMs.value} />
          <TimeSlider life={life.value} untilMs={untilMs} />
          <div class="checks">
            {isLong && <Check label="Show every poll" value={isUnfolded} />}
            <Check label="Show calls of the control API" value={isControlShown} />
          </div>
        </section>
        <div class="side">
          <ExchangePanel exchange={shown ?? exchanges[0]} originMs={job.created_at_ms} />
          {job.status === 'succeeded' && <JobOutput jobId={id} />}
        </div>
      </div>
    </article>
  )
}

function Check({ label, value }: { label: string; value: Signal<boolean> }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}

/** The life of a job, loaded again whenever something has happened to it; or at all, where control requests are shown. */
function useLife(id: string, isControlShown: Signal<boolean>) {
  const life = useSignal<Life | 'missing' | undefined>(undefined)
  useEffect(() => {
    let timer = 0
    let isGone = false
    const load = async () => {
      timer = 0
      try {
        const query = isControlShown.value ? '?control=true' : ''
        const loaded = await read<Life>(`jobs/${encodeURIComponent(id)}/exchanges${query}`)
        if (!isGone) life.value = loaded
      } catch (error) {
        if (!isGone && error instanceof ControlError && error.status === 404) life.value = 'missing'
      }
    }
    const loadSoon = () => {
      if (timer === 0) timer = window.setTimeout(load, life.value === undefined ? 0 : RELOAD_MS)
    }
    const stops = [
      reloads.subscribe(loadSoon),
      touched.subscribe((ids) => ids.has(id) && loadSoon()),
      happened.subscribe(() => isControlShown.peek() && loadSoon()),
    ]
    return () => {
      isGone = true
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [id, isControlShown.value])
  return life
}

function Head({ job }: { job: JobRow }) {
  const { job_id, model_id, credits, charged, created_at_ms, ended_at_ms, key } = job
  const nextMs = (nextChange(job) ?? 0) - now.value
  const status = statusNow(job)
  return (
    <header class="jobhead">
      <a class="backlink" href={linkTo('jobs')}>
        <Icon name="back" />
        Jobs
      </a>
      <h1 class="mono">{job_id}</h1>
      <StatusBadge status={status} />
      <CopyButton label="Copy id" text={() => job_id} />
      <JobActions job={job} />
      <dl class="facts">
        <Fact name="Model">
          <a href={linkTo('models', model_id)}>{model_id}</a>
        </Fact>
        <Fact name="Credits">
          {ended_at_ms === undefined ? `${count(credits, 'credit')} reserved` : `${count(charged, 'credit')} charged`}
        </Fact>
        <Fact name={ended_at_ms === undefined ? 'Running for' : 'Took'}>
          {formatDuration((ended_at_ms ?? now.value) - created_at_ms)}
        </Fact>
        <Fact name="Created">{formatTime(created_at_ms)} UTC</Fact>
        {nextMs > 0 && <Fact name="Next change in">{formatDuration(nextMs)}</Fact>}
        <Fact name="Account">{key}</Fact>
      </dl>
    </header>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
