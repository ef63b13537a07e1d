import { readOptions } from '@modelrun/kit'
import { INBOX_OPTIONS } from './inbox-checks.ts'
import type { HandlerFailure, InboxMetricName } from './inbox-notices.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createLane, createPollJob, type Lane, type PollJob } from './poll-job.ts'
import { type InboxQueues, openQueues } from './queues.ts'
import { type ResolvedInboxOptions, resolveInboxOptions } from './resolve-inbox-options.ts'
import { createSubscribers, type Subscribers } from './subscribers.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** The parts of one inbox. */
export interface InboxCore {
  options: ResolvedInboxOptions
  queues: InboxQueues
  hooks: Hooks
  /** Work that `drain` waits for. */
  background: Background
  /** Undefined without a client. */
  pollJob: PollJob | undefined
  /** The polls of jobs whose delivery is overdue, and those for deliveries of unverified senders. */
  lanes: { overdue: Lane; unverified: Lane }
  subscribers: Subscribers
  /** Aborts when the inbox drains: it takes no more work. */
  stopping: AbortController
  /** Aborts when the time limit of `drain` is over. */
  aborting: AbortController
}

/** @throws ConfigurationError */
export function createInboxCore(given: InboxOptions): InboxCore {
  const inboxOptions = readOptions('createInbox', given, INBOX_OPTIONS)
  const options = resolveInboxOptions(inboxOptions)
  const background = createBackground()
  return {
    options,
    queues: openQueues(options.engine, options.name, options.clock),
    hooks: createHooks(inboxOptions, background.track),
    background,
    pollJob: options.client && createPollJob(options.client, options.clock),
    lanes: { overdue: createLane(options.clock, 10), unverified: createLane(options.clock, 5) },
    subscribers: createSubscribers(),
    stopping: new AbortController(),
    aborting: new AbortController(),
  }
}

/** Promises that have not settled yet. */
interface Background {
  /** Adds work, and returns it. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when all work has settled, including work that was added meanwhile. */
  whenIdle(): Promise<void>
}

function createBackground(): Background {
  const running = new Set<Promise<unknown>>()
  return {
    track: (work) => {
      running.add(work)
      const done = () => running.delete(work)
      work.then(done, done)
      return work
    },
    whenIdle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

type HookName = 'onHandlerError' | 'onDead' | 'onLost' | 'onUnconfirmedRun' | 'onWebhookMissed'

type Notice<Name extends HookName> = Parameters<NonNullable<InboxOptions[Name]>>[0]

/** Calls the user's hooks. A hook that throws or rejects is logged, and changes nothing. */
interface Hooks {
  notify<Name extends HookName>(name: Name, notice: Notice<Name>): void
  /** Reports a metric. Default value 1. */
  metric(name: InboxMetricName, jobId?: string, value?: number): void
  /** Warns once when a result is dropped: nothing in this process waits for the job, and there is no handler. */
  warnUnhandled(event: WebhookEvent): void
  /** Logs a failure that has no hook. */
  warn(message: string, error: unknown): void
}

/** @param track adds a hook that still runs to the work that `drain` waits for */
function createHooks(options: InboxOptions, track: (work: Promise<void>) => unknown): Hooks {
  let hasWarned = false
  return {
    notify: (name, notice) => {
      // The type of `notify` guarantees that the notice fits: an index by a union loses that.
      const hook = options[name] as ((notice: unknown) => unknown) | undefined
      track(callHook(name, hook ?? (name === 'onHandlerError' ? logFailure : undefined), notice))
    },
    metric: (name, jobId, value = 1) => {
      const { onMetric } = options
      if (onMetric !== undefined) track(callHook('onMetric', onMetric, { name, value, jobId }))
    },
    warnUnhandled: ({ status, job_id }) => {
      if (hasWarned || status !== 'succeeded' || options.onSucceeded !== undefined) return
      hasWarned = true
      console.warn(
        `modelrun: the job ${job_id} succeeded, and its result is dropped: nothing waits for it, and the inbox has no handler. Pass \`createInbox({ onSucceeded })\`.`,
      )
    },
    warn: (message, error) => console.warn(`modelrun: ${message}:`, error),
  }
}

/** Calls the hook synchronously, and catches what it throws or rejects with. */
async function callHook<T>(name: HookName | 'onMetric', hook: ((notice: T) => unknown) | undefined, notice: T) {
  try {
    await hook?.(notice)
  } catch (error) {
    console.error(`modelrun: the inbox's hook \`${name}\` failed:`, error)
    // The failure of the handler must not be lost with its hook.
    if (name === 'onHandlerError') logFailure(notice)
  }
}

/** The default of `onHandlerError`. */
function logFailure(notice: unknown): void {
  // Called only with the notice of `onHandlerError`.
  const { event, attempt, error, isLast } = notice as HandlerFailure
  const next = isLast ? 'it is not tried again' : 'it is tried again'
  console.error(`modelrun: the webhook of the job ${event.job_id} was not handled (try ${attempt}; ${next}):`, error)
}
