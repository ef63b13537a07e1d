import { computed } from '@preact/signals'
import { clock, now } from '../data/clock.ts'
import { type Row, rows, version } from '../data/store.ts'
import type { JobRow } from '../data/wire.ts'
import { changeQuery, linkTo, route } from '../route.ts'
import { MakeTest } from '../test/test-dialog.tsx'
import { decoded } from '../text/code.ts'
import { formatAgo, formatDuration, formatNumber, formatTime, receiverName } from '../text/format.ts'
import { OutcomeBadge, StatusBadge, statusNow } from '../ui/badge.tsx'
import { Empty } from '../ui/empty.tsx'
import { Search } from '../ui/fields.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { adviceIn, fits, isIn, isProblem, reasonOf, VIEWS, type View, wordsOf } from './rows.ts'
import { Connect, Welcome } from './welcome.tsx'

const ROW_HEIGHT = 56

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
          {formatNumber(list.length)} of {formatNumber(rows.length)}
        </span>
        <MakeTest />
        <nav class="views" aria-label="Show">
          {Object.entries(VIEWS).map(([name, label]) => (
            <a
              key={name}
              href={linkTo('activity', undefined, { ...route.value.query, show: name === 'all' ? undefined : name })}
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
          <VirtualList
            label="Activity, newest first"
            length={list.length}
            rowHeight={ROW_HEIGHT}
            header={['What', 'Result', 'Took', 'When'].map((name) => (
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
            row={(index) => <Line row={list[list.length - 1 - index]} />}
          />
        )}
        {at !== undefined && <EntryPanel place={at} />}
      </div>
    </section>
  )
}

function Line({ row }: { row: Row | undefined }) {
  if (row === undefined) return null
  const { icon, title, detail, href, took, result } = contentOf(row)
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
      <span role="cell">{result}</span>
      <span role="cell" class="number">
        {took === undefined ? '' : formatDuration(took)}
      </span>
      <span role="cell" class="muted created">
        {clock.value.scale === undefined ? formatTime(row.at) : formatAgo(now.value - row.at)}
      </span>
    </>
  )
}

interface Content {
  icon: IconName
  title: string
  detail: string
  href: string
  took?: number
  result: preact.ComponentChildren
}

function contentOf(row: Row): Content {
  switch (row.kind) {
    case 'job':
      return jobContent(row.job)
    case 'request': {
      const { method, path, place, job_id, status, duration_ms, hint } = row.entry
      const at = { at: String(place) }
      const reason = isProblem(row) ? `${adviceIn(hint)} ${reasonOf(row.entry)}`.trim() : undefined
      return {
        icon: 'request',
        title: `${method} ${decoded(path)}`,
        detail: reason ?? job_id ?? 'Responded.',
        href:
          job_id === undefined
            ? linkTo('activity', undefined, { ...route.value.query, ...at })
            : linkTo('jobs', job_id, at),
        took: duration_ms,
        result: <span class={`badge ${isProblem(row) ? 'failed' : 'succeeded'}`}>{status ?? 'no response'}</span>,
      }
    }
    case 'delivery': {
      const { url, job_id, reason, duration_ms, place } = row.entry
      return {
        icon: 'deliveries',
        title: `Webhook to ${receiverName(url).replace('built in', 'the built-in receiver')}`,
        detail: reason ?? job_id,
        href: linkTo('jobs', job_id, { at: String(place) }),
        took: duration_ms,
        result: <OutcomeBadge entry={row.entry} />,
      }
    }
    case 'note':
      return {
        icon: 'bolt',
        title: 'Warning',
        detail: row.entry.text,
        href: linkTo('activity', undefined, { ...route.value.query, at: String(row.entry.place) }),
        result: null,
      }
  }
}

function jobContent(job: JobRow): Content {
  const { job_id, model_id, text, code, message, ended_at_ms, created_at_ms, charged, credits } = job
  const price = ended_at_ms === undefined ? `${credits} credits held` : `${formatNumber(charged)} credits`
  return {
    icon: 'jobs',
    title: text === undefined ? model_id : `${model_id} · ${text}`,
    detail: [message ?? code, price, job_id].filter(Boolean).join(' · '),
    href: linkTo('jobs', job_id),
    took: (ended_at_ms ?? now.value) - created_at_ms,
    result: <StatusBadge status={statusNow(job)} />,
  }
}
