import type { Json, Task } from '@modelrun/kit'
import { createInboxCore, type InboxCore } from '../src/webhooks/inbox-core.ts'
import type { InboxOptions } from '../src/webhooks/inbox-options.ts'
import type { InboxQueue } from '../src/webhooks/queues.ts'
import { jobKey, type StoredDelivery } from '../src/webhooks/stored-records.ts'
import type { FaultyEngine } from './faulty-engine.ts'
import { type ManualClock, settle } from './manual-clock.ts'
import { openEngine, type RecordedHooks, recordHooks, SUCCEEDED } from './test-inbox.ts'

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
  const trust = options.client || options.secret ? {} : { trust: 'payload' as const }
  return {
    ...shared,
    ...recorded,
    core: createInboxCore({ onSucceeded: () => {}, ...hooks, ...trust, ...shared, ...options }),
  }
}

/** A task as an engine hands it to a worker: its first run, with a lock of 30 s, unless the test says otherwise. */
export function taskOf(id: string, data: object, run: Partial<Task> = {}): Task {
  const { signal } = new AbortController()
  const lock = { msLeft: () => 30_000, markStarted: async () => true }
  return { id, data: data as Json, attempt: 1, lost: 0, fence: 1, signal, ...lock, ...run }
}

/** A delivery as it is kept, received at the start of the manual clock. */
export function storedDelivery(delivery: Partial<StoredDelivery> = {}): StoredDelivery {
  return { source: 'webhook', token: 'genuine', event: SUCCEEDED, receivedAt: Date.UTC(2026, 0, 1), ...delivery }
}

/** The task of a delivery's result. */
export function resultTask(delivery: Partial<StoredDelivery> = {}, run: Partial<Task> = {}): Task {
  const stored = storedDelivery(delivery)
  return taskOf(jobKey(stored.event.job_id), stored, run)
}

/** Adds a task that ends at once, as `end` does. */
export async function addEnded(queue: InboxQueue, id: string, end: () => Json | undefined): Promise<void> {
  await queue.add(id, {})
  const worker = queue.work(async () => end(), { attempts: 1 })
  await settle()
  await worker.stop()
}
