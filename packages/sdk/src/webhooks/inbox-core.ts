import { readOptions } from '../arguments/read-options.ts'
import { type Clock, startTimer } from '../clock.ts'
import { toBackgroundClock } from './background-clock.ts'
import { createFollowers, type Followers } from './follow/followers.ts'
import { createHooks, type Hooks } from './inbox-hooks.ts'
import { INBOX_OPTIONS } from './inbox-option-checks.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createTasks, type Tasks } from './inbox-tasks.ts'
import { type ResolvedInboxOptions, resolveInboxOptions } from './resolve-inbox-options.ts'
import { createGuardedStore, type GuardedStore } from './store/guarded-store.ts'
import { createJobLooker, type JobLooker } from './trust/job-looker.ts'

/** What the parts of one inbox share. */
export interface InboxCore {
  options: ResolvedInboxOptions
  store: GuardedStore
  hooks: Hooks
  tasks: Tasks
  /** Undefined without a client. */
  looker: JobLooker | undefined
  followers: Followers
  /** For timers that must not keep the process alive. */
  backgroundClock: Clock
  /** Starts a timer that the end of the inbox stops. */
  later(delayMs: number, callback: () => void): void
  /** Aborts when the inbox takes no more work. */
  stopping: AbortController
  /** Aborts when the work that is left has no more time. */
  aborting: AbortController
}

/** @throws ConfigurationError */
export function createInboxCore(given: InboxOptions): InboxCore {
  const inboxOptions = readOptions('createInbox', given, INBOX_OPTIONS)
  const options = resolveInboxOptions(inboxOptions)
  const tasks = createTasks()
  const backgroundClock = toBackgroundClock(options.clock)
  const stopping = new AbortController()
  return {
    options,
    store: createGuardedStore(options.store, options.clock),
    hooks: createHooks(inboxOptions, tasks),
    tasks,
    looker: options.client && createJobLooker(options.client, options.clock),
    followers: createFollowers(),
    backgroundClock,
    later: createTimers(backgroundClock, stopping.signal),
    stopping,
    aborting: new AbortController(),
  }
}

/** Timers that a signal stops, all by one listener. */
function createTimers(clock: Clock, signal: AbortSignal): InboxCore['later'] {
  const stops = new Set<() => void>()
  signal.addEventListener('abort', () => {
    for (const stop of stops) stop()
    stops.clear()
  })
  return (delayMs, callback) => {
    if (signal.aborted) return
    const stop = startTimer(clock, delayMs, () => {
      stops.delete(stop)
      callback()
    })
    stops.add(stop)
  }
}
