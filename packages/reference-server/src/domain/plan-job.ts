import type { ProviderPlan } from './job.ts'
import type { ScriptedOutcome } from './scripted-outcome.ts'

/** Times and outcome of a job that is being created. */
export interface JobPlan {
  processingAt: number
  provider: ProviderPlan
}

export interface JobPlanOptions {
  /** How long the model works on it. */
  latencyMs: number
  script: ScriptedOutcome | undefined
  createdAt: number
  /** How long it waits in the queue first. */
  queuedMs: number
}

/**
 * Decides how and when a job ends: as a script says, else success after the model's latency.
 *
 * A script's `after_ms` counts from the creation and comes true even when the queue is longer; a latency counts from
 * the end of the queue.
 */
export function planJob({ latencyMs, script, createdAt, queuedMs }: JobPlanOptions): JobPlan {
  const queueEndsAt = createdAt + queuedMs
  const afterMs = script?.after_ms ?? (script?.after_polls === undefined ? undefined : 0)
  const doneAt = afterMs === undefined ? queueEndsAt + latencyMs : createdAt + afterMs
  if (script?.result === 'hang') {
    return { processingAt: queueEndsAt, provider: { endsAt: undefined, afterReads: 0, status: 'succeeded' } }
  }
  return {
    processingAt: Math.min(queueEndsAt, doneAt),
    provider: {
      endsAt: doneAt,
      afterReads: script?.after_polls ?? 0,
      status: script?.result ?? 'succeeded',
      output: script?.output,
      error: script?.error,
    },
  }
}
