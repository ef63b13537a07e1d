import { isFinishedStatus } from '../../jobs/job-status.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Called with an event of a job. */
export type EventListener = (event: WebhookEvent) => void

/** A wait for the end of a job. */
interface EndWait {
  event: Promise<WebhookEvent>
  /** Ends the wait; its promise stays as it is. */
  stop(): void
}

/** Who in this process wants to know of a job, and what is known. */
export interface Subscribers {
  /** Calls back with each event of the job that is confirmed from now on, and with a result that was before. */
  listen(jobId: string, listener: EventListener): () => void
  wait(jobId: string): EndWait
  /** An event may be believed. True when a listener or a wait of this process gets it. */
  confirmed(event: WebhookEvent): boolean
  /** An event was handled, or its handler failed for good. */
  ended(event: WebhookEvent): void
  /** There will be no event. */
  lost(jobId: string, error: Error): void
  /** Ends every wait. */
  close(error: Error): void
}

interface Waiter {
  resolve: (event: WebhookEvent) => void
  reject: (error: Error) => void
}

/** How many results are remembered for callers that ask later, and how long their JSON may be in all. */
const MAX_RESULTS = 1_000
const MAX_CHARACTERS = 8_000_000

export function createSubscribers(): Subscribers {
  const listeners = createGroups<EventListener>()
  const waiters = createGroups<Waiter>()
  const results = createResults()

  return {
    listen: (jobId, listener) => {
      const stop = listeners.add(jobId, listener)
      const known = results.get(jobId)
      // Not before the caller has the function that stops it.
      if (known !== undefined) queueMicrotask(() => listeners.has(jobId, listener) && call(listener, known.event))
      return stop
    },
    wait: (jobId) => {
      const known = results.get(jobId)
      if (known?.hasEnded) return { event: Promise.resolve(known.event), stop: () => {} }
      let stop = () => {}
      const event = new Promise<WebhookEvent>((resolve, reject) => {
        stop = waiters.add(jobId, { resolve, reject })
      })
      return { event, stop }
    },
    confirmed: (event) => {
      if (isResult(event)) results.set(event, false)
      const listening = listeners.of(event.job_id)
      const hasSubscriber = listening.length > 0 || waiters.of(event.job_id).length > 0
      for (const listener of listening) call(listener, event)
      return hasSubscriber
    },
    ended: (event) => {
      if (!isResult(event)) return
      results.set(event, true)
      for (const { resolve } of waiters.of(event.job_id)) resolve(event)
    },
    lost: (jobId, error) => {
      for (const { reject } of waiters.of(jobId)) reject(error)
    },
    close: (error) => {
      for (const { reject } of waiters.all()) reject(error)
    },
  }
}

/** What a job ends with; an event of a status that may be followed by another is none (section 3). */
function isResult(event: WebhookEvent): boolean {
  if (event.status !== 'unknown') return true
  return isFinishedStatus(event.reported_status ?? '')
}

function call(listener: EventListener, event: WebhookEvent): void {
  try {
    listener(event)
  } catch (error) {
    console.error(`modelrun: a listener of the job ${event.job_id} failed:`, error)
  }
}

/** The latest results, the oldest forgotten first. */
function createResults() {
  const results = new Map<string, { event: WebhookEvent; hasEnded: boolean; length: number }>()
  let total = 0
  const forget = (jobId: string) => {
    total -= results.get(jobId)?.length ?? 0
    results.delete(jobId)
  }
  return {
    get: (jobId: string) => results.get(jobId),
    set: (event: WebhookEvent, hasEnded: boolean) => {
      forget(event.job_id)
      const { length } = JSON.stringify(event)
      results.set(event.job_id, { event, hasEnded, length })
      total += length
      for (const oldest of results.keys()) {
        if (results.size <= MAX_RESULTS && total <= MAX_CHARACTERS) return
        forget(oldest)
      }
    },
  }
}

/** Members by job. */
function createGroups<Member>() {
  const groups = new Map<string, Set<Member>>()
  return {
    of: (jobId: string): Member[] => [...(groups.get(jobId) ?? [])],
    all: (): Member[] => [...groups.values()].flatMap((group) => [...group]),
    has: (jobId: string, member: Member): boolean => groups.get(jobId)?.has(member) ?? false,
    add: (jobId: string, member: Member): (() => void) => {
      const group = groups.get(jobId) ?? new Set()
      groups.set(jobId, group.add(member))
      return () => {
        group.delete(member)
        if (group.size === 0 && groups.get(jobId) === group) groups.delete(jobId)
      }
    },
  }
}
