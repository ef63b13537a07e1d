import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { now } from '../data/clock.ts'
import { findJob, type Row, rows, version } from '../data/store.ts'
import type { JobRow } from '../data/wire.ts'
import { ExchangePanel } from '../jobs/exchange-panel.tsx'
import { changeQuery, linkHere, linkTo, route } from '../route.ts'
import { decoded } from '../text/code.ts'
import { count, formatDuration, formatNumber, formatTime, receiverName } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { Search } from '../ui/fields.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Empty, StatusBadge } from '../ui/parts.tsx'
import { fits, isIn, isProblem, missedReason, reasonOf, VIEWS, type View, wordsOf } from './rows.ts'
import { Connect, Welcome } from './welcome.tsx'

/** So many of the newest are drawn. The search finds the others. */
const MOST_ROWS = 200

const view = computed<View>(() => (Object.keys(VIEWS) as View[]).find((one) => one === route.value.query.show) ?? 'all')

const shown = computed(() => {
  version.value
  const words = wordsOf(route.value.query.q)
  return rows.filter((row) => isIn(view.value, row) && fits(row, words))
})

/** Everything that happens, live: the first screen. */
export function Activity() {
  version.value
  const { q, show, at } = route.value.query
  if (!rows.some((row) => isIn('all', row)) && q === undefined && show === undefined) return <Welcome />
  const list = shown.value
  return (
    <section class="fill" aria-label="Activity">
      <div class="toolbar">
        <h1>Activity</h1>
        <Search label="Search all fields" value={q ?? ''} set={(text) => changeQuery({ q: text })} />
        <span class="muted count" role="status">
          {formatNumber(list.length)} of {count(rows.length, 'event')}
        </span>
        <nav class="views" aria-label="Show">
          {Object.entries(VIEWS).map(([name, label]) => (
            <a
              key={name}
              href={linkHere({ show: name === 'all' ? undefined : name })}
              aria-current={view.value === name ? 'true' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      </div>
      <details class="connect">
        <summary>Connect your code: url and key</summary>
        <Connect />
      </details>
      <div class={at === undefined ? 'list' : 'split wide'}>
        {list.length === 0 ? (
          <Empty icon="search" title="Nothing fits">
            <a href={linkTo('activity')}>Show everything</a>
          </Empty>
        ) : (
          <List list={list} />
        )}
        {at !== undefined && <EntryPanel place={at} />}
      </div>
    </section>
  )
}

function List({ list }: { list: readonly Row[] }) {
  return (
    <div class="table" role="table" aria-label="Activity, newest first" aria-rowcount={list.length + 1}>
      <div class="head" role="row" aria-rowindex={1}>
        {['What', 'Result', 'Took', 'When'].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div class="body" role="rowgroup" tabIndex={0}>
        {list
          .slice(-MOST_ROWS)
          .toReversed()
          .map((row, index) => (
            <div
              key={row.kind === 'job' ? row.job.job_id : row.entry.place}
              class="row"
              role="row"
              aria-rowindex={index + 2}
            >
              <Line row={row} />
            </div>
          ))}
        {list.length > MOST_ROWS && (
          <p class="muted older">These are the newest {MOST_ROWS}. The search finds the others.</p>
        )}
      </div>
    </div>
  )
}

function Line({ row }: { row: Row }) {
  const { icon, title, detail, href, tookMs, result } = contentOf(row)
  const isChosen = row.kind !== 'job' && String(row.entry.place) === route.value.query.at
  return (
    <>
      <span role="cell" class="what">
        <Icon name={icon} />
        <span>
          <a href={href} aria-current={isChosen ? 'true' : undefined} title={title}>
            {title}
          </a>
          <span class={`sub ${isProblem(row) ? 'bad' : 'muted'}`} title={detail}>
            {detail}
          </span>
        </span>
      </span>
      <span role="cell">
        {row.kind === 'job' ? (
          <StatusBadge job={row.job} />
        ) : (
          result && <span class={`badge ${isProblem(row) ? 'failed' : 'succeeded'}`}>{result}</span>
        )}
      </span>
      <span role="cell" class="number">
        {tookMs !== undefined && formatDuration(tookMs)}
      </span>
      <span role="cell" class="muted">
        {formatTime(row.at)}
      </span>
    </>
  )
}

interface Content {
  icon: IconName
  title: string
  detail: string
  href: string
  tookMs?: number
  result?: string
}

function contentOf(row: Row): Content {
  if (row.kind === 'job') return jobContent(row.job)
  const { entry } = row
  const at = { at: String(entry.place) }
  const href = entry.kind === 'note' || entry.job_id === undefined ? linkHere(at) : linkTo('jobs', entry.job_id, at)
  switch (entry.kind) {
    case 'request': {
      const { method, path, job_id, status, duration_ms: tookMs } = entry
      const reason = isProblem(row) ? reasonOf(entry, findJob(job_id ?? '')) : undefined
      const [title, result] = [`${method} ${decoded(path)}`, String(status ?? 'no response')]
      return { icon: 'request', title, detail: reason ?? job_id ?? 'Responded.', href, tookMs, result }
    }
    case 'delivery': {
      const { url, job_id, duration_ms: tookMs, outcome, status = '' } = entry
      const title = `Webhook to ${receiverName(url).replace('built in', 'the built-in receiver')}`
      const result = `${outcome.replace('_', ' ')} ${status}`
      return { icon: 'deliveries', title, detail: missedReason(entry) ?? job_id, href, tookMs, result }
    }
    case 'note':
      return { icon: 'bolt', title: 'Warning', detail: entry.text, href }
  }
}

function jobContent(job: JobRow): Content {
  const { job_id, model_id, text, code, message, ended_at_ms, created_at_ms, charged, credits } = job
  const price = ended_at_ms === undefined ? `${count(credits, 'credit')} held` : count(charged, 'credit')
  return {
    icon: 'jobs',
    title: text === undefined ? model_id : `${model_id} · ${text}`,
    detail: [message ?? code, price, job_id].filter(Boolean).join(' · '),
    href: linkTo('jobs', job_id),
    tookMs: (ended_at_ms ?? now.value) - created_at_ms,
  }
}

/** A request that belongs to no job, whole. */
function EntryPanel({ place }: { place: string }) {
  const close = () => changeQuery({ at: undefined })
  useEffect(() => {
    const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && close()
    addEventListener('keydown', closeOnEscape)
    return () => removeEventListener('keydown', closeOnEscape)
  }, [])
  const row = rows.find((one) => one.kind === 'entry' && String(one.entry.place) === place)
  if (row?.kind !== 'entry') return null
  const { entry } = row
  return (
    <div class="side">
      <Button kind="small" act={close}>
        Close
      </Button>
      {entry.kind === 'note' ? (
        <p class="card notice">{entry.text}</p>
      ) : (
        <ExchangePanel exchange={{ ...entry, attempt: 1, end_place: entry.place }} startMs={entry.at_ms} />
      )}
    </div>
  )
}
