import { type BackoffLimits, backoffMs, NewestMap, type TaskRecord } from '@modelrun/kit'
import { AbortedError } from '../client/errors/transport-errors.ts'
import { isFinishedStatus } from '../client/jobs/job-operations.ts'
import { watch } from '../client/observe/logger.ts'
import { abortable, linkController, sleep } from '../shared/clock.ts'
import { JobLostError } from './inbox-notices.ts'
import type { InboxQueues } from './queues.ts'
import type { ResolvedInboxOptions } from './resolve-inbox-options.ts'
import { endOfTask, isLost, jobKey } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A callback for the events of a job. */
export type EventListener = (event: WebhookEvent) => void

/** A wait for the end of a job. */
interface EndWait {
  event: Promise<WebhookEvent>
  /** Ends the wait. Its promise stays pending. */
  stop(): void
}

/** The listeners and waits of this process, and the latest results. */
export interface Subscribers {
  /** Calls back with each event of the job that is confirmed from now on, and with a result that was confirmed before. */
  listen(jobId: string, listener: EventListener): () => void
  wait(jobId: string): EndWait
  /** Reports a confirmed event to listeners. Returns whether this process has a listener or a wait for its job. */
  confirmed(event: WebhookEvent): boolean
  /** Reports an event that was handled, or whose handler failed for good: waits resolve. */
  ended(event: WebhookEvent): void
  /** Reports a job without a result: waits reject. */
  lost(jobId: string, error: Error): void
  /** Rejects every wait. */
  close(error: Error): void
}

interface Waiter {
  resolve: (event: WebhookEvent) => void
  reject: (error: Error) => void
}

/** How many results are remembered for calls that come later. A result has at most 256 KiB. */
const MAX_RESULTS = 100

export function createSubscribers(): Subscribers {
  const listeners = createGroups<EventListener>()
  const waiters = createGroups<Waiter>()
  const results = new NewestMap<string, { event: WebhookEvent; hasEnded: boolean }>(MAX_RESULTS)

  return {
    listen: (jobId, listener) => {
      const stop = listeners.add(jobId, listener)
      const known = results.get(jobId)
      // In a microtask, when the caller has the function that stops the listener.
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
      if (isResult(event)) results.set(event.job_id, { event, hasEnded: false })
      const listening = listeners.of(event.job_id)
      const hasSubscriber = listening.length > 0 || waiters.of(event.job_id).length > 0
      for (const listener of listening) call(listener, event)
      return hasSubscriber
    },
    ended: (event) => {
      if (!isResult(event)) return
      results.set(event.job_id, { event, hasEnded: true })
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

/** Whether the event ends its job. Another event may follow an unknown status (section 3). */
function isResult(event: WebhookEvent): boolean {
  if (event.status !== 'unknown') return true
  return isFinishedStatus(event.reported_status ?? '')
}

function call(listener: EventListener, event: WebhookEvent): void {
  watch(
    () => listener(event),
    (error) => console.error(`modelrun: a listener of the job ${event.job_id} failed:`, error),
  )
}

/** Groups members by job id. */
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

/** Wait between two reads of the engine, which has the results that other processes handled. */
const READS: BackoffLimits = { baseMs: 1_000, growth: 1.5, maxMs: 15_000 }

/** Statuses that end a job, and whose events have tasks of their own: a success can come without an output. */
const OTHER_ENDS = ['cancelled', 'succeeded']

/** The parts of an inbox that a wait needs. */
interface WaitContext {
  subscribers: Subscribers
  queues: InboxQueues
  options: Pick<ResolvedInboxOptions, 'clock' | 'isInMemory'>
}

/**
 * Waits until the result of a job is handled, in this process or another one.
 *
 * @throws AbortedError when the signal aborts, or the inbox is drained
 * @throws JobLostError when the job was given up, or its delivery was never confirmed
 */
export async function waitFor(core: WaitContext, jobId: string, signal?: AbortSignal): Promise<WebhookEvent> {
  const wait = core.subscribers.wait(jobId)
  const ended = linkController(signal)
  try {
    return await abortable(Promise.race([wait.event, readUntilEnded(core, jobId, ended.signal)]), ended.signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = `The wait for the job ${jobId} was aborted by the caller. The job continues.`
    throw new AbortedError({ message, cause: signal.reason, jobId, submission: 'accepted' })
  } finally {
    wait.stop()
    ended.abort(undefined)
    ended.release()
  }
}

async function readUntilEnded(
  { queues, options }: WaitContext,
  jobId: string,
  signal: AbortSignal,
): Promise<WebhookEvent> {
  const key = jobKey(jobId)
  for (let reads = 1; !signal.aborted; reads++) {
    for (const id of [key, ...OTHER_ENDS.map((status) => `${key}?${status}`)]) {
      const task = await queues.jobs.get(id).catch(() => undefined)
      const event = task && eventOfTask(task, jobId)
      if (event !== undefined) return event
    }
    // An engine in memory changes only in this process, which notifies its waits.
    if (options.isInMemory) break
    await sleep(options.clock, backoffMs(reads, READS), signal)
  }
  return await new Promise(() => {})
}

/** @throws JobLostError when the job was given up, or its delivery was never confirmed */
function eventOfTask(task: TaskRecord, jobId: string): WebhookEvent | undefined {
  const { code, message = '' } = task.error ?? {}
  if (code === 'unconfirmed' || isLost(task)) throw new JobLostError({ message, jobId })
  return endOfTask(task)
}
