import { type DeliveryEntry, type JobEntry, type JobHistory, type RequestEntry, recordsOfJob } from './journal-entry.ts'

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
 * they started. A run that failed before there was a job is not among them: nothing says that it was the same run.
 */
export function exchangesOf(history: JobHistory): Exchange[] {
  const countAttempt = attemptCounter()
  return recordsOfJob(history).flatMap(({ entry, startPlace: place, endPlace }): Exchange[] => {
    if (entry.kind === 'note') return []
    if (entry.kind === 'job') return [{ ...entry, place, endPlace }]
    return [{ ...entry, place, endPlace, attempt: countAttempt(entry) }]
  })
}

/** Counts what is sent again. */
function attemptCounter(): (entry: RequestEntry | DeliveryEntry) => number {
  const failed = new Map<string, number>()
  let deliveries = 0
  return (entry) => {
    if (entry.kind === 'delivery') return ++deliveries
    const { method, path, status } = entry
    const name = `${method} ${path}`
    const attempt = (failed.get(name) ?? 0) + 1
    const isFailure = status === undefined || status === 408 || status === 429 || status >= 500
    failed.set(name, isFailure ? attempt : 0)
    return attempt
  }
}
