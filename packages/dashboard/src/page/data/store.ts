import { batch, signal } from '@preact/signals'
import { setClock, stopClock } from './clock.ts'
import { needsToken, read } from './control.ts'
import { keys } from './keys.ts'
import type { DeliveryEntry, Entry, JobRow, Model, NoteEntry, RequestEntry, ServerActivity } from './wire.ts'

/** So many rows are listed, the newest. */
const MAX_ROWS = 30_000

/** Real time before the page asks again, and when the server is gone. Longer than the patience of an `auto` clock. */
const POLL_MS = 300
const RETRY_MS = 1_000

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

export type Row =
  | { kind: 'job'; at: number; job: JobRow }
  | { kind: 'entry'; at: number; entry: RequestEntry | DeliveryEntry | NoteEntry }

/** Everything that happened, oldest first. The array is the same: read `version` to hear of changes. */
export const rows: Row[] = []
const jobRows = new Map<string, Row & { kind: 'job' }>()
let lastPlace = 0

/** Rises with each change of jobs and entries. */
export const version = signal(0)

/** The jobs to which something has happened: what shows one of them loads it again. */
export const touched = signal<ReadonlySet<string>>(new Set())

/** Rises when everything was read again: jobs may have changed, or be gone. */
export const reloads = signal(0)

/** Empty until everything was read for the first time. */
export const models = signal<readonly Model[]>([])

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
    if (!needsToken.value) await followOnce().catch(() => {}) // it is gone, or asks for the token
    batch(() => {
      connection.value = needsToken.value ? 'connecting' : 'lost'
      stopClock()
    })
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function followOnce(): Promise<void> {
  let known = { epoch: '', place: 0 }
  for (;;) {
    const activity = await read<ServerActivity>(`activity?epoch=${known.epoch}&after=${known.place}`)
    const isAll = activity.epoch !== known.epoch
    const catalog = isAll ? await read<{ models: Model[] }>('models') : undefined
    batch(() => {
      if (catalog !== undefined) startAgain(catalog.models)
      apply(activity)
      if (isAll) reloads.value++
    })
    known = activity
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function startAgain(catalog: readonly Model[]): void {
  rows.length = 0
  jobRows.clear()
  lastPlace = 0
  models.value = catalog
  version.value++
}

function apply(activity: ServerActivity): void {
  connection.value = 'live'
  setClock(activity.clock)
  if (JSON.stringify(keys.value) !== JSON.stringify(activity.keys)) keys.value = activity.keys
  for (const job of activity.jobs) putJob(job)
  for (const entry of activity.entries) putEntry(entry)
  if (rows.length > MAX_ROWS) rows.splice(0, rows.length - MAX_ROWS)
  if (activity.jobs.length > 0) touched.value = new Set(activity.jobs.map(({ job_id }) => job_id))
  if (activity.jobs.length + activity.entries.length > 0) version.value++
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
  if (entry.kind === 'job' || entry.place <= lastPlace) return
  lastPlace = entry.place
  insert({ kind: 'entry', at: entry.at_ms, entry })
}

/** Nearly always at the end: events come in order, requests when they have ended. */
function insert(row: Row): void {
  let place = rows.length
  while (place > 0 && (rows[place - 1]?.at ?? 0) > row.at) place--
  rows.splice(place, 0, row)
}
