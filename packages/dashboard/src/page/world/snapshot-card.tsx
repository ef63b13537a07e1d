import { signal } from '@preact/signals'
import { clock, setClock } from '../data/clock.ts'
import { post, read } from '../data/control.ts'
import { loadWorld } from '../data/world.ts'
import { clearRecord, record } from '../record/record.ts'
import { formatTime } from '../text/format.ts'
import { attempt, say } from '../ui/toast.tsx'

interface Kept {
  name: string
  takenAtMs: number
  state: { time: number; jobs?: readonly unknown[] }
}

/** The snapshots of this tab. */
const kept = signal<readonly Kept[]>([])

export function SnapshotCard() {
  return (
    <section class="card" aria-label="Snapshots">
      <h2>Snapshots</h2>
      <p class="muted small">A snapshot is the whole state: time, keys, credits, jobs, faults, deliveries.</p>
      <div class="buttons">
        <button type="button" class="button" onClick={take}>
          Take a snapshot
        </button>
        <button type="button" class="button danger" onClick={reset}>
          Reset everything
        </button>
      </div>
      <ul class="plain">
        {kept.value.map((snapshot) => (
          <li key={snapshot.name}>
            <span class="mono">{snapshot.name}</span>
            <span class="muted">of {formatTime(snapshot.takenAtMs)}</span>
            <span class="buttons">
              <button type="button" class="button small" onClick={() => restore(snapshot)}>
                Restore
              </button>
              <button type="button" class="button small" onClick={() => save(snapshot)}>
                Save as file
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function take(): Promise<void> {
  return attempt(async () => {
    const state = await read<Kept['state']>('snapshot')
    const name = `snapshot${kept.value.length + 1}`
    kept.value = [...kept.value, { name, takenAtMs: state.time, state }]
    record({ kind: 'snapshot', name }, state.time)
  })
}

function restore({ name, state }: Kept): Promise<void> {
  return attempt(async () => {
    const { now_ms } = await post<{ now_ms: number }>('restore', state)
    setClock({ ...clock.value, now_ms })
    record({ kind: 'restore', name, toMs: state.time }, now_ms)
    await loadWorld()
    say('The server is in the state of the snapshot.')
  })
}

function save({ name, state }: Kept): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(state)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.json`
  link.click()
  URL.revokeObjectURL(url)
}

function reset(): Promise<void> {
  return attempt(async () => {
    await post('reset')
    clearRecord()
    await loadWorld()
    say('Jobs, charges, scripts, faults and deliveries are gone. Keys and time are as they were.')
  })
}
