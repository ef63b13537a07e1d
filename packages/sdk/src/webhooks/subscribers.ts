import type { BackoffLimits, TaskRecord } from '@modelrun/kit'
import { backoffMs, copyJson, ModelRunError, NewestMap, named, printFailure, watch } from '@modelrun/kit'
import { AbortedError } from '../client/errors/transport-errors.ts'
import { abortable, linkController, sleep, systemClock } from '../shared/clock.ts'
import type { InboxQueues } from './queues.ts'
import type { ResolvedInboxOptions } from './resolve-inbox-options.ts'
import { endOfTask, endsJob, isLost, jobKey } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** An expected job was given up: the service does not know it, or it has not ended within `giveUpAfterMs`. */
export class JobLostError extends /* @__PURE__ */ named(ModelRunError, 'JobLostError', 'job_lost') {}

/** A callback for the events of a job. */
export type EventListener = (event: WebhookEvent) => void

/** What this process wants to know about a job. */
export interface Subscriber {
  /** Called with each confirmed event, before its handler runs. */
  confirmed?: EventListener
  /** Called with the event that ends the job, when it was handled or its handler failed for good. */
  ended?: EventListener
  /** Called when the job has no result, or the inbox is drained. */
  lost?: (error: Error) => void
}

/** How many results are remembered for calls that come later. A result has at most 256 KiB. */
const MAX_RESULTS = 100

/** The listeners and waits of this process, and the latest results. */
export function createSubscribers() {
  const groups = new Map<string, Set<Subscriber>>()
  const results = new NewestMap<string, { event: WebhookEvent; hasEnded: boolean }>(MAX_RESULTS)
  const subscribersOf = (jobId: string): readonly Subscriber[] => [...(groups.get(jobId) ?? [])]
  const lost = (jobId: string, error: Error): void => {
    for (const one of subscribersOf(jobId)) one.lost?.(error)
  }
  return {
    /** Calls back from now on, and with a result that came before. Returns a function that stops this. */
    add: (jobId: string, subscriber: Subscriber): (() => void) => {
      const group = groups.get(jobId) ?? new Set()
      groups.set(jobId, group.add(subscriber))
      const known = results.get(jobId)
      // In a microtask, when the caller has the function that stops it.
      queueMicrotask(() => {
        if (known === undefined || !group.has(subscriber)) return
        notify(known.event, subscriber.confirmed)
        if (known.hasEnded) notify(known.event, subscriber.ended)
      })
      return () => {
        group.delete(subscriber)
        if (group.size === 0 && groups.get(jobId) === group) groups.delete(jobId)
      }
    },
    /** Reports a confirmed event. Returns whether this process has a subscriber for its job. */
    confirmed: (event: WebhookEvent): boolean => {
      if (endsJob(event)) results.set(event.job_id, { event, hasEnded: false })
      const group = subscribersOf(event.job_id)
      for (const { confirmed } of group) notify(event, confirmed)
      return group.length > 0
    },
    /** Reports an event that was handled, or whose handler failed for good. */
    ended: (event: WebhookEvent): void => {
      if (!endsJob(event)) return
      results.set(event.job_id, { event, hasEnded: true })
      for (const { ended } of subscribersOf(event.job_id)) notify(event, ended)
    },
    lost,
    close: (error: Error): void => {
      for (const jobId of groups.keys()) lost(jobId, error)
    },
  }
}

function notify(event: WebhookEvent, listener: EventListener = () => {}): void {
  watch(
    () => listener(copyJson(event)),
    (error) => printFailure('error', `a listener of the job ${event.job_id} failed`, error),
  )
}

/** Wait between two reads of the engine, which has the results that other processes handled. */
const READS: BackoffLimits = { baseMs: 1_000, growth: 1.5, maxMs: 15_000 }

/** The parts of an inbox that a wait needs. */
interface WaitContext {
  subscribers: ReturnType<typeof createSubscribers>
  queues: InboxQueues
  options: Pick<ResolvedInboxOptions, 'clock' | 'isInMemory'>
  stopping: AbortController
}

/**
 * Waits until the result of a job is handled, in this process or another one.
 *
 * @throws AbortedError when the signal aborts, or the inbox is drained
 * @throws JobLostError when the job was given up, or its delivery was never confirmed
 */
export async function waitFor(core: WaitContext, jobId: string, signal?: AbortSignal): Promise<WebhookEvent> {
  const ended = linkController(signal)
  let stop = () => {}
  const event = new Promise<WebhookEvent>((resolve, reject) => {
    stop = core.subscribers.add(jobId, { ended: resolve, lost: reject })
  })
  try {
    return await abortable(Promise.race([event, readUntilEnded(core, jobId, ended.signal)]), ended.signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = `The wait for the job ${jobId} was aborted by the caller. The job continues.`
    throw new AbortedError({ message, cause: signal.reason, jobId, submission: 'accepted' })
  } finally {
    stop()
    ended.abort(undefined)
    ended.release()
  }
}

async function readUntilEnded(
  { queues, options, stopping }: WaitContext,
  jobId: string,
  signal: AbortSignal,
): Promise<WebhookEvent> {
  for (let reads = 1; !signal.aborted; reads++) {
    const task = await queues.jobs.get(jobKey(jobId)).catch(() => undefined)
    const event = task && eventOfTask(task, jobId)
    if (event !== undefined) return event
    stopping.signal.throwIfAborted()
    // An engine in memory notifies its waits. Its timers keep no process alive: a wait does, and virtual time does not jump for it.
    await sleep(options.isInMemory ? systemClock : options.clock, backoffMs(reads, READS), signal)
  }
  return await new Promise(() => {})
}

/** @throws JobLostError when the job was given up, or its delivery was never confirmed */
function eventOfTask(task: TaskRecord, jobId: string): WebhookEvent | undefined {
  const { code, message = '' } = task.error ?? {}
  if (code === 'unconfirmed' || isLost(task)) throw new JobLostError({ message, jobId })
  return endOfTask(task)
}
