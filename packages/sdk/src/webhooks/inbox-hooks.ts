import type { HandlerFailure, InboxMetricName } from './inbox-notices.ts'
import type { InboxOptions } from './inbox-options.ts'
import type { Tasks } from './inbox-tasks.ts'
import type { WebhookEvent } from './webhook-event.ts'

type HookName = 'onHandlerError' | 'onDead' | 'onLost' | 'onUnconfirmedRun' | 'onWebhookMissed'

type Notice<Name extends HookName> = Parameters<NonNullable<InboxOptions[Name]>>[0]

/** Notifies the user's hooks. One that fails harms nothing, and is logged. */
export interface Hooks {
  notify<Name extends HookName>(name: Name, notice: Notice<Name>): void
  /** Counts 1, or notes a value. */
  metric(name: InboxMetricName, jobId?: string, value?: number): void
  /** A job ended that nothing in this process waits for: warns, once, when there is no handler for its result either. */
  warnUnhandled(event: WebhookEvent): void
  /** Logs what no hook is for. */
  warn(message: string, error: unknown): void
}

export function createHooks(options: InboxOptions, tasks: Tasks): Hooks {
  let hasWarned = false
  return {
    notify: (name, notice) => {
      // Each name has a hook for its own notice: the type of `notify` says so, and an index by a union loses it.
      const hook = options[name] as ((notice: unknown) => unknown) | undefined
      void tasks.track(callHook(name, hook ?? (name === 'onHandlerError' ? logFailure : undefined), notice))
    },
    metric: (name, jobId, value = 1) => {
      const { onMetric } = options
      if (onMetric !== undefined) void tasks.track(callHook('onMetric', onMetric, { name, value, jobId }))
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

/** Calls at once: only what the hook does asynchronously comes later. */
async function callHook<T>(name: HookName | 'onMetric', hook: ((notice: T) => unknown) | undefined, notice: T) {
  try {
    await hook?.(notice)
  } catch (error) {
    logBrokenHook(name, error)
    // The failure must not be lost with the hook.
    if (name === 'onHandlerError') logFailure(notice)
  }
}

function logBrokenHook(name: string, error: unknown): void {
  console.error(`modelrun: the inbox's hook \`${name}\` failed:`, error)
}

function logFailure(notice: unknown): void {
  // Only `onHandlerError` is given to this.
  const { event, attempt, error, isLast } = notice as HandlerFailure
  const next = isLast ? 'it is not tried again' : 'it is tried again'
  console.error(`modelrun: the webhook of the job ${event.job_id} was not handled (try ${attempt}; ${next}):`, error)
}
