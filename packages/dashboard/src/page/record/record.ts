import { signal } from '@preact/signals'
import { timeNow } from '../data/clock.ts'
import { read } from '../data/control.ts'
import { findJob } from '../data/store.ts'
import type { Fault, JobDetail } from '../data/wire.ts'

/** How the result of a run is delivered. */
export interface DeliveryPlan {
  deliveries?: number
  delay_ms?: number
  gap_ms?: number
  when?: 'after-poll' | 'after-next'
  receiver?: { response?: number | 'reset'; after_ms?: number }
}

/** One thing that was done on the page. `key` is that of another account than the first. */
export type Action =
  | { kind: 'run'; model: string; input: object; mode: 'sync' | 'async' | 'webhook'; key?: string; jobId?: string }
  | { kind: 'complete' | 'fail' | 'hang' | 'cancel' | 'again' | 'drop'; jobId: string }
  | { kind: 'jobWebhook'; jobId: string; plan: DeliveryPlan }
  | { kind: 'webhooks'; plan: DeliveryPlan; key?: string }
  | { kind: 'fault'; fault: Fault; id: string; key?: string }
  | { kind: 'removeFault'; id: string; key?: string }
  | { kind: 'clearFaults'; key?: string }
  | { kind: 'step' }
  | { kind: 'scale'; scale: number }
  | { kind: 'createKey'; key: string; options: object }
  | { kind: 'limitKey'; key: string; limits: object }
  | { kind: 'revokeKey'; key: string }
  | { kind: 'snapshot'; name: string }
  /** `toMs`: the time of the snapshot. */
  | { kind: 'restore'; name: string; toMs: number }
  | { kind: 'reset' }

/** An action and the server's time at which it was done. */
export type Recorded = Action & { atMs: number }

/** What was done on the page, oldest first. */
export const recorded = signal<readonly Recorded[]>([])

export function record(action: Action, atMs = timeNow()): Recorded {
  const entry = { ...action, atMs }
  recorded.value = [...recorded.value, entry]
  return entry
}

/** Records what was done before some of the others. */
function recordEarlier(action: Action, atMs: number): void {
  const place = recorded.value.findIndex((other) => other.atMs > atMs)
  recorded.value = recorded.value.toSpliced(place < 0 ? recorded.value.length : place, 0, { ...action, atMs })
}

/** Notes the job that a run made, once it is known. */
export function recordJobOf(run: Recorded, jobId: string): void {
  recorded.value = recorded.value.map((entry) => (entry === run ? { ...run, jobId } : entry))
}

/** For what did not reach the server. */
export function forget(entry: Recorded): void {
  recorded.value = recorded.value.filter((other) => other !== entry)
}

export function clearRecord(): void {
  recorded.value = []
}

/** Records an action on a job; before it the run, when a client and not the page made the job. */
export async function recordOnJob(action: Action & { jobId: string }, atMs: number): Promise<void> {
  const { jobId } = action
  const isKnown = recorded.value.some((entry) => entry.kind === 'run' && entry.jobId === jobId)
  if (!isKnown) {
    const { model_id, input } = await read<JobDetail & { model_id: string }>(`jobs/${jobId}`)
    recordEarlier({ kind: 'run', model: model_id, input, mode: 'async', jobId }, findJob(jobId)?.created_at_ms ?? atMs)
  }
  record(action, atMs)
}
