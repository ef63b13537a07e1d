import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { clock, setClock } from '../data/clock.ts'
import { callControl, post } from '../data/control.ts'
import { formatTime } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/parts.tsx'
import { say } from '../ui/toast.tsx'

/** Names of the snapshots that the browser keeps, also over a reload. */
const names = signal<readonly string[]>([])

/** Where the browser keeps them. It has no such place for pages of http on another machine. */
function store(): Promise<Cache> {
  if ('caches' in globalThis) return caches.open('modelrun-snapshots')
  throw new Error('The browser keeps snapshots of pages on localhost and of https only.')
}

async function loadNames(): Promise<void> {
  const requests = 'caches' in globalThis ? await (await store()).keys() : []
  names.value = requests.map(({ url }) => decodeURIComponent(url.replace(/.*\//, '')))
}

function pathOf(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`
}

export function SnapshotCard() {
  useEffect(() => void loadNames(), [])
  return (
    <Card title="Snapshots" text="A snapshot is the whole state: time, keys, credits, jobs, faults, deliveries.">
      <div class="buttons">
        <Button act={take}>Take a snapshot</Button>
      </div>
      <ul class="plain">
        {names.value.map((name) => (
          <li key={name}>
            <span class="mono">{name}</span>
            <span class="buttons">
              <Button kind="small" act={() => restore(name)}>
                Restore
              </Button>
              <Button kind="small" act={() => forget(name)}>
                Delete
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

async function take(): Promise<void> {
  const cache = await store()
  const name = `snapshot ${names.value.length + 1} of ${formatTime(clock.value.now_ms)}`
  await cache.put(pathOf(name), await callControl('GET', 'snapshot'))
  await loadNames()
}

async function restore(name: string): Promise<void> {
  const kept = await (await store()).match(pathOf(name))
  const { now_ms } = await post<{ now_ms: number }>('restore', await kept?.json())
  setClock({ ...clock.value, now_ms })
  say('The server is in the state of the snapshot.')
}

async function forget(name: string): Promise<void> {
  await (await store()).delete(pathOf(name))
  await loadNames()
}

/** Apart from the rest, and only after a question: nothing brings it back. */
export function ResetCard() {
  return (
    <Card title="Reset" text="Forgets jobs, charges, scripts, faults and deliveries.">
      <div class="buttons">
        <Button kind="danger" act={reset}>
          Reset everything
        </Button>
      </div>
    </Card>
  )
}

async function reset(): Promise<void> {
  if (!confirm('Forget all jobs, charges, scripts, faults and deliveries? Keys and time stay as they are.')) return
  await post('reset')
  say('Jobs, charges, scripts, faults and deliveries are gone. Keys and time are as they were.')
}
