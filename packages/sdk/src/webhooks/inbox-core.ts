import { readOptions } from '@modelrun/kit'
import { INBOX_OPTIONS } from './inbox-checks.ts'
import { createHooks, type Hooks } from './inbox-hooks.ts'
import type { InboxOptions } from './inbox-options.ts'
import { type InboxQueues, openQueues } from './queues.ts'
import { type ResolvedInboxOptions, resolveInboxOptions } from './resolve-inbox-options.ts'
import { createSubscribers, type Subscribers } from './subscribers/subscribers.ts'
import { createJobPoller, type JobPoller } from './verification/job-poller.ts'

/** The parts of one inbox. */
export interface InboxCore {
  options: ResolvedInboxOptions
  queues: InboxQueues
  hooks: Hooks
  /** Work that `drain` waits for. */
  background: Background
  /** Undefined without a client. */
  poller: JobPoller | undefined
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
    poller: options.client && createJobPoller(options.client, options.clock),
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
