import { computed, signal } from '@preact/signals'
import { clock, now } from '../data/clock.ts'
import { jobs, jobsVersion } from '../data/store.ts'
import type { JobRow } from '../data/wire.ts'
import { linkTo } from '../route.ts'
import { formatAgo, formatDuration, formatNumber, formatTime } from '../text/format.ts'
import { StatusBadge, statusNow } from '../ui/badge.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'

const ROW_HEIGHT = 48

const STATUSES = ['all', 'active', 'succeeded', 'failed', 'cancelled'] as const

const search = signal('')
const wanted = signal<string>('all')

/** The jobs that the filters let pass, newest first. */
const shown = computed(() => {
  jobsVersion.value
  const text = search.value.trim().toLowerCase()
  const found: JobRow[] = []
  for (let place = jobs.length - 1; place >= 0; place--) {
    const job = jobs[place]
    if (job !== undefined && fits(job, text)) found.push(job)
  }
  return found
})

function fits({ status, job_id, model_id }: JobRow, text: string): boolean {
  const isActive = status === 'queued' || status === 'processing'
  if (wanted.value === 'active' ? !isActive : wanted.value !== 'all' && wanted.value !== status) return false
  return text === '' || job_id.includes(text) || model_id.includes(text)
}

export function JobList() {
  jobsVersion.value
  if (jobs.length === 0) {
    return (
      <Empty isWhole icon="jobs" title="No jobs yet">
        <a href={linkTo('models')}>Run a model</a>, or send a request from your code: each job appears at once.
      </Empty>
    )
  }
  return (
    <section class="fill" aria-label="Jobs">
      <div class="toolbar">
        <h1>Jobs</h1>
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Job or model"
            aria-label="Search jobs"
            value={search.value}
            onInput={({ currentTarget }) => {
              search.value = currentTarget.value
            }}
          />
        </label>
        <Select label="Status" options={STATUSES} value={wanted} />
        <span class="muted count" role="status">
          {formatNumber(shown.value.length)} of {formatNumber(jobs.length)}
        </span>
      </div>
      <VirtualList
        label="Jobs, newest first"
        length={shown.value.length}
        rowHeight={ROW_HEIGHT}
        header={
          <>
            <span role="columnheader">Job</span>
            <span role="columnheader">Model</span>
            <span role="columnheader">Status</span>
            <span role="columnheader">Time</span>
            <span role="columnheader">Credits</span>
            <span role="columnheader">Created</span>
          </>
        }
        row={(index) => <Row job={shown.value[index]} />}
      />
    </section>
  )
}

function Row({ job }: { job: JobRow | undefined }) {
  if (job === undefined) return null
  return (
    <>
      <span role="cell" class="id">
        <a class="mono" href={linkTo('jobs', job.job_id)} title={job.job_id}>
          {job.job_id}
        </a>
        <span class="sub muted">{job.model_id}</span>
      </span>
      <span role="cell" class="model">
        {job.model_id}
      </span>
      <span role="cell">
        <StatusBadge status={statusNow(job)} />
      </span>
      <span role="cell" class="number">
        {formatDuration((job.ended_at_ms ?? now.value) - job.created_at_ms)}
      </span>
      <span role="cell" class="number">
        <Credits job={job} />
      </span>
      <span role="cell" class="muted created">
        {clock.value.scale === undefined ? formatTime(job.created_at_ms) : formatAgo(now.value - job.created_at_ms)}
      </span>
    </>
  )
}

/** What was charged; of a job that continues what is reserved. */
function Credits({ job: { charged, credits, ended_at_ms } }: { job: JobRow }) {
  if (ended_at_ms === undefined) return <span class="muted">{credits} held</span>
  return <>{formatNumber(charged)}</>
}
