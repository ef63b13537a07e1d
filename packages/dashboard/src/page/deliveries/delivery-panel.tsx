import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { read } from '../data/control.ts'
import type { DeliveryEntry, DeliveryExchange, Life } from '../data/wire.ts'
import { ExchangePanel } from '../diagram/exchange-panel.tsx'
import { actOnJob } from '../jobs/job-actions.tsx'
import { linkTo } from '../route.ts'

/** One delivery with its body, and what can be done with its result. */
export function DeliveryPanel({ entry }: { entry: DeliveryEntry | undefined }) {
  const life = useSignal<Life | undefined>(undefined)
  const jobId = entry?.job_id
  useEffect(() => {
    if (jobId === undefined) return
    read<Life>(`jobs/${encodeURIComponent(jobId)}/exchanges`).then(
      (loaded) => {
        life.value = loaded
      },
      () => {
        life.value = undefined // the job has gone
      },
    )
  }, [jobId, entry?.at_ms])
  if (entry === undefined) return null
  const isLoaded = life.value?.job.job_id === entry.job_id
  const exchange = isLoaded ? life.value?.exchanges.find((one) => isOf(one, entry)) : undefined
  return (
    <div class="side">
      <div class="buttons" role="group" aria-label="What happens to the result">
        <button type="button" class="button primary" onClick={() => actOnJob(entry.job_id, 'again')}>
          Send again
        </button>
        <button type="button" class="button" onClick={() => actOnJob(entry.job_id, 'again', { delay_ms: 5_000 })}>
          Send again in 5 s
        </button>
        <a class="button" href={linkTo('jobs', entry.job_id)}>
          Sequence diagram
        </a>
      </div>
      <ExchangePanel
        exchange={exchange ?? withoutBody(entry)}
        originMs={life.value?.job.created_at_ms ?? entry.at_ms}
      />
    </div>
  )
}

function isOf(one: Life['exchanges'][number], { at_ms, kind }: DeliveryEntry): boolean {
  return one.kind === kind && one.at_ms === at_ms
}

function withoutBody(entry: DeliveryEntry): DeliveryExchange {
  return { ...entry, attempt: 1, place: 0, end_place: 0 }
}
