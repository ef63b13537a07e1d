import { useSignal } from '@preact/signals'
import { clock, now } from '../data/clock.ts'
import { deliveries, pending } from '../data/store.ts'
import type { DeliveryEntry, PendingDelivery } from '../data/wire.ts'
import { actOnJob } from '../jobs/job-actions.tsx'
import { linkTo } from '../route.ts'
import { count, formatAgo, formatDuration, formatNumber, formatTime, receiverName } from '../text/format.ts'
import { OutcomeBadge } from '../ui/badge.tsx'
import { Empty } from '../ui/empty.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { DeliveryPlanForm } from './plan-form.tsx'

const ROW_HEIGHT = 48

/** So many deliveries that are on their way are listed. */
const MAX_PENDING = 20

export function DeliveryList() {
  const chosen = useSignal<DeliveryEntry | undefined>(undefined)
  const list = deliveries.value
  const choose = (entry: DeliveryEntry) => {
    chosen.value = entry
  }
  return (
    <section class="fill" aria-label="Deliveries">
      <div class="toolbar">
        <h1>Deliveries</h1>
        <span class="muted count" role="status">
          {count(list.length, 'delivery').replace('deliverys', 'deliveries')}
        </span>
      </div>
      <DeliveryPlanForm />
      <Pending />
      {list.length === 0 ? (
        <Empty icon="deliveries" title="Nothing was delivered yet">
          Run <a href={linkTo('models')}>a model</a> with a webhook: each attempt to deliver its result appears here.
        </Empty>
      ) : (
        <div class="split wide">
          <VirtualList
            label="Deliveries, newest first"
            length={list.length}
            rowHeight={ROW_HEIGHT}
            header={
              <>
                <span role="columnheader">Job</span>
                <span role="columnheader">Receiver</span>
                <span role="columnheader">Outcome</span>
                <span role="columnheader">Took</span>
                <span role="columnheader">When</span>
              </>
            }
            row={(index) => (
              <Row
                entry={list[list.length - 1 - index]}
                isChosen={isSameDelivery(chosen.value ?? list.at(-1), list[list.length - 1 - index])}
                choose={choose}
              />
            )}
          />
          <DeliveryPanel entry={chosen.value ?? list.at(-1)} />
        </div>
      )}
    </section>
  )
}

function isSameDelivery(one: DeliveryEntry | undefined, other: DeliveryEntry | undefined): boolean {
  return one !== undefined && one.job_id === other?.job_id && one.at_ms === other.at_ms
}

interface RowProps {
  entry: DeliveryEntry | undefined
  isChosen: boolean
  choose: (entry: DeliveryEntry) => void
}

function Row({ entry, isChosen, choose }: RowProps) {
  if (entry === undefined) return null
  const { job_id, url, duration_ms, at_ms } = entry
  return (
    <>
      <span role="cell" class="id">
        <button type="button" class="link mono" aria-pressed={isChosen} onClick={() => choose(entry)}>
          {job_id}
        </button>
        <span class="sub muted">{receiverName(url)}</span>
      </span>
      <span role="cell" class="model" title={url}>
        {receiverName(url)}
      </span>
      <span role="cell">
        <OutcomeBadge entry={entry} />
      </span>
      <span role="cell" class="number">
        {formatDuration(duration_ms)}
      </span>
      <span role="cell" class="muted created">
        {clock.value.scale === undefined ? formatTime(at_ms) : formatAgo(now.value - at_ms)}
      </span>
    </>
  )
}

/** Results on their way, which can still be dropped. */
function Pending() {
  if (pending.value.length === 0) return null
  return (
    <section class="card" aria-label="On their way">
      <h2>On their way: {formatNumber(pending.value.length)}</h2>
      <ul class="plain">
        {pending.value.slice(0, MAX_PENDING).map((delivery) => (
          <li key={`${delivery.job_id} ${delivery.sent}`}>
            <a class="mono" href={linkTo('jobs', delivery.job_id)}>
              {delivery.job_id}
            </a>
            <span class="muted">{waitText(delivery)}</span>
            <button type="button" class="button small" onClick={() => actOnJob(delivery.job_id, 'drop')}>
              Drop
            </button>
          </li>
        ))}
      </ul>
      {pending.value.length > MAX_PENDING && (
        <p class="muted small">and {formatNumber(pending.value.length - MAX_PENDING)} more</p>
      )}
    </section>
  )
}

function waitText({ held, due_at_ms, sent, deliveries: total }: PendingDelivery): string {
  const which = total > 1 ? `, ${sent + 1} of ${total}` : ''
  if (held) return `waits for another event${which}`
  if (due_at_ms === undefined) return `being delivered${which}`
  return `in ${formatDuration(Math.max(0, due_at_ms - now.value))}${which}`
}
