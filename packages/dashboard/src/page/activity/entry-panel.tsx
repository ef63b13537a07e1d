import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { read } from '../data/control.ts'
import type { Entry } from '../data/wire.ts'
import { ExchangePanel } from '../jobs/exchange-panel.tsx'
import { changeQuery } from '../route.ts'
import { Button } from '../ui/button.tsx'

/** A request that belongs to no job, whole. */
export function EntryPanel({ place }: { place: string }) {
  const entry = useSignal<Entry | undefined>(undefined)
  useEffect(() => {
    read<{ entry: Entry }>(`activity/${encodeURIComponent(place)}`).then(
      (loaded) => {
        entry.value = loaded.entry
      },
      () => changeQuery({ at: undefined }), // it has gone
    )
  }, [place])
  const loaded = entry.value
  if (loaded === undefined || loaded.kind === 'job') return null
  return (
    <div class="side">
      <Button kind="small" act={() => changeQuery({ at: undefined })}>
        Close
      </Button>
      {loaded.kind === 'note' ? (
        <p class="card notice">{loaded.text}</p>
      ) : (
        <ExchangePanel exchange={{ ...loaded, attempt: 1, end_place: loaded.place }} startMs={loaded.at_ms} />
      )}
    </div>
  )
}
