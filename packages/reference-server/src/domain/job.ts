import type { ErrorDetail, KnownJobStatus, Output, TerminalJobStatus } from '@modelrun/contract'
import type { Account } from './account.ts'
import type { CatalogModel } from './catalog.ts'
import type { ScriptedOutcome, ScriptedWebhook } from './scripted-outcome.ts'

/** How a job ended. */
export interface JobEnd {
  readonly status: TerminalJobStatus
  readonly at: number
  /** Of a job that succeeded; `undefined` means the files that the server makes. */
  readonly output?: Output | undefined
  /** Of a job that failed. */
  readonly error?: ErrorDetail | undefined
  /** Whether a job that failed is charged: the assumption `creditsOfFailedRun`. */
  readonly isCharged?: boolean | undefined
}

/** What the provider will do with a job, known from the start. */
export interface ProviderPlan {
  /** The provider is done at this time at the earliest; `undefined`: never. */
  readonly endsAt: number | undefined
  /** Minimum number of status reads before the job finishes. Default 0. */
  readonly afterReads: number
  readonly status: 'succeeded' | 'failed'
  readonly output?: Output | undefined
  readonly error?: ErrorDetail | undefined
}

/** Where the result of a job is sent (section 6). */
export interface JobWebhook extends ScriptedWebhook {
  readonly url: string
}

/** A job (section 2.4). What it shows at a time follows from this record and the clock; no timer drives it. */
export interface Job {
  readonly id: string
  /** Identifier of the request at the provider. */
  readonly requestId: string
  readonly account: Account
  readonly model: CatalogModel
  /** Checked, with defaults filled in. */
  readonly input: Readonly<Record<string, unknown>>
  /** Seed of the files that it produces. */
  readonly seed: number
  readonly createdAt: number
  /** When it leaves the queue. */
  readonly processingAt: number
  /** Of an unfinished job. */
  plan: ProviderPlan
  webhook: JobWebhook | undefined
  /** Reads of the status so far. */
  reads: number
  /** When the provider is done, as far as that is known: not while reads are still awaited. */
  endsAt: number | undefined
  /** Set once, by the provider, a cancel or a test. */
  end: JobEnd | undefined
}

/** Status of a job (section 3). */
export function statusAt(job: Job, now: number): KnownJobStatus {
  return job.end?.status ?? (now < job.processingAt ? 'queued' : 'processing')
}

/** When time alone next changes an unfinished job; `undefined` when it will not. */
export function nextChangeAt(job: Job, now: number): number | undefined {
  return now < job.processingAt ? job.processingAt : job.endsAt
}

/** Credits that a job which ended so is charged (section 1). */
export function chargeOf({ model }: Pick<Job, 'model'>, { status, isCharged }: JobEnd): number {
  return status === 'succeeded' || isCharged ? model.pricing.credits_per_run : 0
}

/** Processing time of a finished job in milliseconds. */
export function durationMs(job: Job, end: JobEnd): number {
  return Math.max(0, Math.round(end.at - job.processingAt))
}

/** The error of a job that failed at the provider (section 7), unless a test says otherwise. */
export function providerFailure(model: CatalogModel, code = 'PROVIDER_FAILURE', message?: string): ErrorDetail {
  return { code, message: message ?? `The provider ${model.provider} could not run the model ${model.id}.` }
}

/** Times and outcome of a job that is being created. */
export interface JobPlan {
  processingAt: number
  provider: ProviderPlan
}

export interface JobPlanOptions {
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
