import type { WebhookEvent } from './webhook-event.ts'

/** How many finished jobs are remembered to tell their duplicates. Unfinished ones are never forgotten. */
const MAX_FINISHED = 10_000

/** What a claim finds: the job is new, is being worked on, or is done. */
export type Claim = 'new' | 'busy' | 'done'

/** Which deliveries have been heard of, in the memory of this process. */
export interface MemoryRecords {
  /** Takes a delivery for the caller, unless somebody has it or had it. */
  claim(delivered: WebhookEvent): Claim
  /** Ends a claim: duplicates of the delivery are done. `seen` is the event as its handler saw it. */
  finish(delivered: WebhookEvent, seen: WebhookEvent): void
  /** Ends a claim without a result: the next delivery is new again. */
  release(delivered: WebhookEvent): void
  /** The event of a finished job. */
  finished(jobId: string): WebhookEvent | undefined
}

export function createMemoryRecords(maxFinished = MAX_FINISHED): MemoryRecords {
  const working = new Set<string>()
  const done = createLimitedMap<true>(maxFinished)
  const events = createLimitedMap<WebhookEvent>(maxFinished)
  return {
    claim: (delivered) => {
      const key = keyOf(delivered)
      if (done.get(key)) return 'done'
      if (working.has(key)) return 'busy'
      working.add(key)
      return 'new'
    },
    finish: (delivered, seen) => {
      working.delete(keyOf(delivered))
      done.set(keyOf(delivered), true)
      const isResult = seen.status !== 'unknown'
      if (isResult || events.get(seen.job_id) === undefined) events.set(seen.job_id, seen)
    },
    release: (delivered) => {
      working.delete(keyOf(delivered))
    },
    finished: (jobId) => events.get(jobId),
  }
}

/** A job has one result, whatever it is. An event of unknown status is something else: it must not hide the result. */
function keyOf(event: WebhookEvent): string {
  return event.status === 'unknown' ? `${event.job_id} ${event.reported_status ?? ''}` : event.job_id
}

/** Forgets its oldest entry when it is full. */
function createLimitedMap<T>(maxSize: number): { get(key: string): T | undefined; set(key: string, value: T): void } {
  const entries = new Map<string, T>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value)
      const oldest = entries.keys().next()
      if (entries.size > maxSize && !oldest.done) entries.delete(oldest.value)
    },
  }
}
