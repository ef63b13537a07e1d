import type { DeliveryRecord } from '../domain/delivery.ts'
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

interface RequestExchange extends RequestEntry, Places {
  /** 1, and one more for each time that the same request was sent again because it had failed. */
  readonly attempt: number
}

interface DeliveryExchange extends DeliveryEntry, Places, DeliveryDetails {
  /** 1 for the first delivery of the result, 2 for its duplicate. */
  readonly attempt: number
}

/** What the log of deliveries knows beyond the journal; nothing when it no longer has the delivery. */
type DeliveryDetails = Pick<DeliveryRecord, 'responseHeaders' | 'responseBody'> & {
  readonly body?: DeliveryRecord['body'] | undefined
}

/** Something between client, service and receiver, or within the service: `kind` says which. */
export type Exchange = RequestExchange | (JobEntry & Places) | DeliveryExchange

/**
 * The timeline of a job as data, which `story()` gives as text: requests, states and deliveries in the order in which
 * they started. The attempts of its run that failed before there was a job come first.
 *
 * @param deliveries of the tenant, with their bodies
 */
export function exchangesOf(history: JobHistory, deliveries: readonly DeliveryRecord[]): Exchange[] {
  const own = recordsOfJob(history)
  const about = [...failedRuns(history.records, own), ...own]
  const ordered = about.toSorted((one, other) => one.entry.at - other.entry.at || one.startPlace - other.startPlace)
  const attempts = new Attempts()
  const received = receivedOf(
    own,
    deliveries.filter(({ job_id }) => job_id === history.jobId),
  )
  return ordered.flatMap(({ entry, startPlace: place, endPlace }): Exchange[] => {
    switch (entry.kind) {
      case 'request':
        return [{ ...entry, place, endPlace, attempt: attempts.ofRequest(entry) }]
      case 'delivery': {
        const { body, responseHeaders, responseBody } = received.shift() ?? {}
        const details = { body, responseHeaders, responseBody }
        return [{ ...entry, place, endPlace, attempt: attempts.ofDelivery(), ...details }]
      }
      case 'job':
        return [{ ...entry, place, endPlace }]
      default:
        return []
    }
  })
}

/** What the log has of each delivery in the journal: the newest of the one belongs to the newest of the other. */
function receivedOf(own: readonly JournalRecord[], deliveries: readonly DeliveryRecord[]) {
  const { length } = own.filter(({ entry }) => entry.kind === 'delivery')
  return Array.from({ length }, (_, index) => deliveries[deliveries.length - length + index])
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
class Attempts {
  readonly #failed = new Map<string, number>()
  #deliveries = 0

  /** Of an earlier run with the same body nothing says that it was the same caller's. */
  ofRequest({ method, path, route, status }: RequestEntry): number {
    if (route === 'runModel') return 1
    const name = `${method} ${path}`
    const attempt = (this.#failed.get(name) ?? 0) + 1
    const isFailure = status === undefined || status === 408 || status === 429 || status >= 500
    this.#failed.set(name, isFailure ? attempt : 0)
    return attempt
  }

  ofDelivery(): number {
    return ++this.#deliveries
  }
}
