import type { Json, Task } from '@modelrun/kit'
import { type Mock, vi } from 'vitest'
import { createInboxCore, type InboxCore } from '../src/webhooks/inbox-core.ts'
import type { DeliveryContext, InboxOptions } from '../src/webhooks/inbox-options.ts'
import type { InboxQueue } from '../src/webhooks/queues.ts'
import { jobKey, type StoredJob } from '../src/webhooks/stored-job.ts'
import type { SucceededEvent } from '../src/webhooks/webhook-event.ts'
import { workJob } from '../src/webhooks/work-job.ts'
import type { FaultyEngine } from './faulty-engine.ts'
import { type ManualClock, settle } from './manual-clock.ts'
import { jobsOf, openEngine, type RecordedHooks, recordHooks, SECRET, SUCCEEDED, SUCCEEDED_JOB } from './test-inbox.ts'

/** The parts of an inbox under test, and their fakes. */
export interface CoreHarness extends RecordedHooks {
  core: InboxCore
  clock: ManualClock
  engine: FaultyEngine
}

/** The parts of an inbox without workers: a test runs the tasks itself. */
export function openCore(options: InboxOptions = {}): CoreHarness {
  const { hooks, ...recorded } = recordHooks()
  const shared = openEngine()
  const source = options.client || options.secret ? {} : { secret: SECRET }
  return {
    ...shared,
    ...recorded,
    core: createInboxCore({ onSucceeded: () => {}, ...hooks, ...source, ...shared, ...options }),
  }
}

/** A task as an engine hands it to a worker: its first run, with a lock of 30 s, unless the test says otherwise. */
export function taskOf(id: string, data: object, run: Partial<Task> = {}): Task {
  const { signal } = new AbortController()
  const lock = { msLeft: () => 30_000, markStarted: async () => true, afterEnd: (notify: () => void) => notify() }
  return { id, data: data as Json, attempt: 1, lost: 0, fence: 1, signal, ...lock, ...run }
}

/** The data of a job as it is stored at the start of the manual clock: by default of a delivery. */
export function storedJob(job: Partial<StoredJob> = {}): StoredJob {
  return { source: 'webhook', token: 'genuine', event: SUCCEEDED, notedAt: Date.UTC(2026, 0, 1), ...job }
}

/** The task of a job. */
export function jobTask(job: Partial<StoredJob> = {}, run: Partial<Task> = {}): Task {
  return taskOf(jobKey(SUCCEEDED.job_id), storedJob(job), run)
}

/** Adds a task that ends at once, as `end` does. */
export async function addEnded(queue: InboxQueue, id: string, end: () => Json | undefined): Promise<void> {
  await queue.add(id, { notedAt: 0 })
  const worker = queue.work(async () => end(), { attempts: 1 })
  await settle()
  await worker.stop()
}

/** What is stored of a job that is expected, and of which nothing came. */
export const EXPECTED: Partial<StoredJob> = {
  ...{ isExpected: true, context: 'mine' },
  ...{ source: undefined, token: undefined, event: undefined },
}

interface WorkHarness extends CoreHarness {
  calls: string[]
  onSucceeded: Mock<(event: SucceededEvent, context: DeliveryContext) => unknown>
  outcome: Mock<(outcome: unknown) => void>
  work(job?: Partial<StoredJob>, run?: Partial<Task>): Promise<Json | undefined>
}

/** Works the task of a job, by default of a delivery. `state` is what the service says; `outcome` gets what `waitFor` gets. */
export function openWork(
  state: Parameters<typeof jobsOf>[0] = () => SUCCEEDED_JOB,
  options: InboxOptions = {},
): WorkHarness {
  const { client, calls } = jobsOf(state)
  const onSucceeded = vi.fn()
  const harness = openCore({ client, onSucceeded, ...options })
  const outcome = vi.fn()
  harness.core.subscribers.add(SUCCEEDED.job_id, { ended: outcome, lost: outcome })
  const work = (job: Partial<StoredJob> = {}, run: Partial<Task> = {}) => workJob(harness.core, jobTask(job, run))
  return { ...harness, calls, onSucceeded, outcome, work }
}
