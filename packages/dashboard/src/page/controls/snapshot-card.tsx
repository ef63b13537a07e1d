import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { clock, setClock } from '../data/clock.ts'
import { callControl, post } from '../data/control.ts'
import { formatTime } from '../text/format.ts'
import { attempt, say } from '../ui/toast.tsx'

/** Names of the snapshots that the browser keeps, also over a reload. */
const names = signal<readonly string[]>([])

/** Where the browser keeps them. It has no such place for pages of http on another machine. */
function store(): Promise<Cache> {
  if ('caches' in globalThis) return caches.open('modelrun-snapshots')
  throw new Error('The browser keeps snapshots of pages on localhost and of https only.')
}

async function load(): Promise<void> {
  const requests = 'caches' in globalThis ? await (await store()).keys() : []
  names.value = requests.map(({ url }) => decodeURIComponent(url.replace(/.*\//, '')))
}

function pathOf(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`
}

export function SnapshotCard() {
  useEffect(() => void load(), [])
  return (
    <section class="card" aria-label="Snapshots">
      <h2>Snapshots</h2>
      <p class="muted small">A snapshot is the whole state: time, keys, credits, jobs, faults, deliveries.</p>
      <div class="buttons">
        <button type="button" class="button" onClick={take}>
          Take a snapshot
        </button>
      </div>
      <ul class="plain">
        {names.value.map((name) => (
          <li key={name}>
            <span class="mono">{name}</span>
            <span class="buttons">
              <button type="button" class="button small" onClick={() => restore(name)}>
                Restore
              </button>
              <button type="button" class="button small" onClick={() => forget(name)}>
                Delete
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
    const cache = await store()
    const name = `snapshot ${names.value.length + 1} of ${formatTime(clock.value.now_ms)}`
    await cache.put(pathOf(name), await callControl('GET', 'snapshot'))
    await load()
  })
}

function restore(name: string): Promise<void> {
  return attempt(async () => {
    const kept = await (await store()).match(pathOf(name))
    const { now_ms } = await post<{ now_ms: number }>('restore', await kept?.json())
    setClock({ ...clock.value, now_ms })
    say('The server is in the state of the snapshot.')
  })
}

function forget(name: string): Promise<void> {
  return attempt(async () => {
    await (await store()).delete(pathOf(name))
    await load()
  })
}

/** Apart from the rest, and only after a question: nothing brings it back. */
export function ResetCard() {
  const reset = () =>
    attempt(async () => {
      if (!confirm('Forget all jobs, charges, scripts, faults and deliveries? Keys and time stay as they are.')) return
      await post('reset')
      say('Jobs, charges, scripts, faults and deliveries are gone. Keys and time are as they were.')
    })
  return (
    <section class="card" aria-label="Reset">
      <h2>Reset</h2>
      <p class="muted small">Forgets jobs, charges, scripts, faults and deliveries.</p>
      <div class="buttons">
        <button type="button" class="button danger" onClick={reset}>
          Reset everything
        </button>
      </div>
    </section>
  )
}
