import {
  type DeliveryEntry,
  type JobEntry,
  type JobHistory,
  type JournalRecord,
  type RequestEntry,
  recordsOfJob,
} from './journal-entry.ts'

/** Places in the order of things: what has the same time happened in the order of its places. */
interface Places {
  /** Place of its start. */
  readonly place: number
  /** Place of its end. */
  readonly endPlace: number
}

interface Attempt extends Places {
  /** 1, and one more for each time that the same request was sent again because it had failed; for each delivery of the result. */
  readonly attempt: number
}

/** Something between client, service and receiver, or within the service: `kind` says which. */
export type Exchange = (RequestEntry & Attempt) | (JobEntry & Places) | (DeliveryEntry & Attempt)

/**
 * The timeline of a job as data, which `story()` gives as text: requests, states and deliveries in the order in which
 * they started. The attempts of its run that failed before there was a job come first.
 */
export function exchangesOf(history: JobHistory): Exchange[] {
  const own = recordsOfJob(history)
  const countAttempt = attemptCounter()
  const records = [...failedRuns(history.records, own), ...own]
  return records.flatMap(({ entry, startPlace: place, endPlace }): Exchange[] => {
    if (entry.kind === 'note') return []
    if (entry.kind === 'job') return [{ ...entry, place, endPlace }]
    return [{ ...entry, place, endPlace, attempt: countAttempt(entry) }]
  })
}

/** Requests like the run, right before it, that made no job. */
function failedRuns(records: readonly JournalRecord[], own: readonly JournalRecord[]): JournalRecord[] {
  const run = own.find(({ entry }) => entry.kind === 'request' && entry.route === 'runModel')
  if (run === undefined) return []
  const same = records.filter((record) => record.startPlace < run.startPlace && isSameRun(record, run))
  return same.slice(same.findLastIndex(hasJob) + 1)
}

function hasJob({ entry }: JournalRecord): boolean {
  return entry.kind === 'request' && entry.job_id !== undefined
}

/** Requests whose body is not known are not taken for the same run. */
function isSameRun(one: JournalRecord, other: JournalRecord): boolean {
  if (one.entry.kind !== 'request' || other.entry.kind !== 'request') return false
  const body = bodyOf(one)
  return (
    one.entry.route === 'runModel' &&
    one.entry.path === other.entry.path &&
    body !== undefined &&
    body === bodyOf(other)
  )
}

function bodyOf({ body, entry }: JournalRecord): string | undefined {
  return body ?? (entry.kind === 'request' ? entry.requestBody : undefined)
}

/** Counts what is sent again. */
function attemptCounter(): (entry: RequestEntry | DeliveryEntry) => number {
  const failed = new Map<string, number>()
  let deliveries = 0
  return (entry) => {
    if (entry.kind === 'delivery') return ++deliveries
    const { method, path, route, status } = entry
    // Of an earlier run with the same body nothing says that it was the same caller's.
    if (route === 'runModel') return 1
    const name = `${method} ${path}`
    const attempt = (failed.get(name) ?? 0) + 1
    const isFailure = status === undefined || status === 408 || status === 429 || status >= 500
    failed.set(name, isFailure ? attempt : 0)
    return attempt
  }
}
