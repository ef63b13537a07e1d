import { batch, signal } from '@preact/signals'
import { clockOf, setClock, stopClock } from './clock.ts'
import { ControlError, callControl, needsToken, read } from './control.ts'
import { readEvents } from './event-stream.ts'
import { loadForks } from './forks.ts'
import { keys } from './keys.ts'
import type { Changes, DeliveryEntry, Entry, JobRow, Model, NoteEntry, PendingDelivery, RequestEntry } from './wire.ts'

/** So many requests and deliveries are listed, the newest. */
const MAX_ENTRIES = 10_000

/** Real time before the page asks again when the server is gone. */
const RETRY_MS = 1_000

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** One line of what happened. */
export type Row =
  | { kind: 'job'; at: number; job: JobRow }
  | { kind: 'request'; at: number; entry: RequestEntry }
  | { kind: 'delivery'; at: number; entry: DeliveryEntry }
  | { kind: 'note'; at: number; entry: NoteEntry }

/** Everything that happened, oldest first. The array is the same: read `version` to hear of changes. */
export const rows: Row[] = []
const jobRows = new Map<string, Row & { kind: 'job' }>()
let entryCount = 0
let lastPlace = 0

/** Rises with each change of jobs and entries. */
export const version = signal(0)

export const pending = signal<readonly PendingDelivery[]>([])

/** The jobs to which something has happened: what shows one of them loads it again. */
export const touched = signal<ReadonlySet<string>>(new Set())

/** Rises when everything was read again: jobs may have changed, or be gone. */
export const reloads = signal(0)

export const models = signal<readonly Model[] | undefined>(undefined)

export function findJob(id: string): JobRow | undefined {
  return jobRows.get(id)?.job
}

/** The jobs, oldest first. */
export function jobs(): JobRow[] {
  return Array.from(jobRows.values(), ({ job }) => job)
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
  const [activity, catalog] = await Promise.all([
    read<{ now_ms: number; jobs: JobRow[]; entries: Entry[] }>('activity'),
    read<{ models: Model[] }>('models'),
    loadForks(),
  ])
  batch(() => {
    rows.length = 0
    jobRows.clear()
    entryCount = 0
    lastPlace = 0
    for (const job of activity.jobs) putJob(job)
    for (const entry of activity.entries) putEntry(entry)
    rows.sort((one, other) => one.at - other.at)
    models.value = catalog.models
    version.value++
    reloads.value++
  })
}

function apply(changes: Changes): void {
  connection.value = 'live'
  setClock(clockOf(changes))
  pending.value = changes.pending
  if (JSON.stringify(keys.value) !== JSON.stringify(changes.keys)) keys.value = changes.keys
  for (const job of changes.jobs) putJob(job)
  for (const entry of changes.entries) putEntry(entry)
  if (entryCount > 2 * MAX_ENTRIES) dropOldest()
  if (changes.jobs.length > 0) touched.value = new Set(changes.jobs.map(({ job_id }) => job_id))
  if (changes.jobs.length + changes.entries.length > 0) version.value++
}

function putJob(job: JobRow): void {
  const known = jobRows.get(job.job_id)
  if (known !== undefined) {
    known.job = job
    return
  }
  const row = { kind: 'job' as const, at: job.created_at_ms, job }
  jobRows.set(job.job_id, row)
  insert(row)
}

function putEntry(entry: Entry): void {
  // What came while the lists were read is in both.
  if (entry.kind === 'job' || entry.place <= lastPlace) return
  lastPlace = entry.place
  entryCount++
  insert({ kind: entry.kind, at: entry.at_ms, entry } as Row) // the kind is that of the entry
}

/** Nearly always at the end: events come in order, requests when they have ended. */
function insert(row: Row): void {
  let place = rows.length
  while (place > 0 && (rows[place - 1]?.at ?? 0) > row.at) place--
  rows.splice(place, 0, row)
}

function dropOldest(): void {
  let left = entryCount - MAX_ENTRIES
  const kept = rows.filter(({ kind }) => kind === 'job' || left-- <= 0)
  rows.length = 0
  for (const row of kept) rows.push(row)
  entryCount = MAX_ENTRIES
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
