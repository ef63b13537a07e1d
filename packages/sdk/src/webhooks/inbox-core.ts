import { readOptions } from '../arguments/read-options.ts'
import { createSubscribers, type Subscribers } from './subscribers/subscribers.ts'
import { createHooks, type Hooks } from './inbox-hooks.ts'
import { INBOX_OPTIONS } from './inbox-option-checks.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createTasks, type Tasks } from './inbox-tasks.ts'
import { type InboxQueues, openQueues } from './queues.ts'
import { type ResolvedInboxOptions, resolveInboxOptions } from './resolve-inbox-options.ts'
import { createJobPoller, type JobPoller } from './verification/job-poller.ts'

/** What the parts of one inbox share. */
export interface InboxCore {
  options: ResolvedInboxOptions
  queues: InboxQueues
  hooks: Hooks
  /** What `drain` waits for. */
  tasks: Tasks
  /** Undefined without a client. */
  poller: JobPoller | undefined
  subscribers: Subscribers
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
  return {
    options,
    queues: openQueues(options.engine, options.name, options.clock),
    hooks: createHooks(inboxOptions, tasks),
    tasks,
    poller: options.client && createJobPoller(options.client, options.clock),
    subscribers: createSubscribers(),
    stopping: new AbortController(),
    aborting: new AbortController(),
  }
}
