import { batch, signal } from '@preact/signals'
import { clockOf, setClock, stopClock } from './clock.ts'
import { ControlError, callControl, needsToken, read } from './control.ts'
import { readEvents } from './event-stream.ts'
import { loadForks } from './forks.ts'
import type { Changes, DeliveryEntry, JobRow, Model, PendingDelivery } from './wire.ts'

/** So many deliveries are listed, the newest. */
const MAX_DELIVERIES = 10_000

/** Real time before the page asks again when the server is gone. */
const RETRY_MS = 1_000

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** The jobs, oldest first. The array is the same: read `jobsVersion` to hear of changes. */
export const jobs: JobRow[] = []
export const jobsVersion = signal(0)
const places = new Map<string, number>()

/** The finished deliveries, oldest first. */
export const deliveries = signal<readonly DeliveryEntry[]>([])
export const pending = signal<readonly PendingDelivery[]>([])

/** Rises with each job that has changed: what shows one job loads it again. */
export const touched = signal<ReadonlySet<string>>(new Set())

/** Rises when everything was read again: jobs may have changed, or be gone. */
export const reloads = signal(0)

/** Rises when anything happened: counters of faults and credits may have changed. */
export const happened = signal(0)

export const models = signal<readonly Model[] | undefined>(undefined)

export function findJob(id: string): JobRow | undefined {
  const place = places.get(id)
  return place === undefined ? undefined : jobs[place]
}

/** Follows the server for as long as the page is open. */
export async function follow(): Promise<void> {
  for (;;) {
    try {
      await followOnce()
    } catch (error) {
      noteLoss()
      if (error instanceof ControlError && error.status === 403) await tokenGiven()
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

function noteLoss(): void {
  batch(() => {
    connection.value = 'lost'
    stopClock()
  })
}

async function followOnce(): Promise<void> {
  // The stream first: what happens while the lists are read comes after them.
  const { body } = await callControl('GET', 'events')
  if (body === null) return
  await reload()
  for await (const text of readEvents(body)) {
    const changes: Changes = JSON.parse(text)
    if (changes.reset) await reload()
    batch(() => apply(changes))
  }
  noteLoss()
}

async function reload(): Promise<void> {
  const [list, catalog, journal] = await Promise.all([
    read<{ now_ms: number; jobs: JobRow[] }>('jobs'),
    read<{ models: Model[] }>('models'),
    read<{ entries: DeliveryEntry[] }>('journal?kind=delivery'),
    loadForks(),
  ])
  batch(() => {
    jobs.length = 0
    places.clear()
    for (const job of list.jobs) putJob(job)
    jobsVersion.value++
    models.value = catalog.models
    deliveries.value = journal.entries.slice(-MAX_DELIVERIES)
    happened.value++
    reloads.value++
    connection.value = 'live'
  })
}

function apply(changes: Changes): void {
  connection.value = 'live'
  setClock(clockOf(changes))
  pending.value = changes.pending
  for (const job of changes.jobs) putJob(job)
  if (changes.jobs.length > 0) {
    jobsVersion.value++
    touched.value = new Set(changes.jobs.map(({ job_id }) => job_id))
  }
  const delivered = changes.entries.filter((entry) => entry.kind === 'delivery')
  if (delivered.length > 0) deliveries.value = [...deliveries.value, ...delivered].slice(-MAX_DELIVERIES)
  if (changes.entries.length > 0) happened.value++
}

function putJob(job: JobRow): void {
  const place = places.get(job.job_id)
  if (place === undefined) {
    places.set(job.job_id, jobs.length)
    jobs.push(job)
  } else {
    jobs[place] = job
  }
}

function tokenGiven(): Promise<void> {
  return new Promise((resolve) => {
    const stop = needsToken.subscribe((isNeeded) => {
      if (isNeeded) return
      queueMicrotask(() => stop())
      resolve()
    })
  })
}
