import type { ErrorDetail, KnownJobStatus, Output, TerminalJobStatus } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { parseShape, type ShapeCheck } from '../shared/parse-shape.ts'
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
  /** Checked, with defaults filled in. Long texts in it may be cut later: see `cutInput`. */
  input: Readonly<Record<string, unknown>>
  /** Seed of the files that it produces. */
  readonly seed: number
  readonly createdAt: number
  /** When it leaves the queue; `Infinity` while an exploration has not decided it. */
  processingAt: number
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
  const changeAt = now < job.processingAt ? job.processingAt : job.endsAt
  return changeAt === Number.POSITIVE_INFINITY ? undefined : changeAt
}

/** Credits that a job which ended so is charged (section 1). */
export function chargeOf({ model }: Pick<Job, 'model'>, { status, isCharged }: JobEnd): number {
  return status === 'succeeded' || isCharged ? model.pricing.credits_per_run : 0
}

/** Processing time of a finished job in milliseconds. */
export function durationMs(job: Job, end: JobEnd): number {
  const startedAt = Number.isFinite(job.processingAt) ? job.processingAt : job.createdAt
  return Math.max(0, Math.round(end.at - startedAt))
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

/** How long runs take, on the server's clock: always the same, or spread as real latencies are (log-normal, seeded). */
export type Latency = number | LatencySpread

/** Half of the runs take no longer than `p50Ms`, 19 of 20 no longer than `p95Ms`. */
interface LatencySpread {
  /** Median duration, in milliseconds of the server's clock. */
  p50Ms: number
  /** Duration that one of 20 runs exceeds, in milliseconds of the server's clock. */
  p95Ms: number
}

/** Of all models, or of some by their id; the others keep the latency of the catalog. */
export type LatencyOption = Latency | { [modelId: string]: Latency }

/** The latency of a model, if it is not the catalog's. */
export type LatencyOf = (modelId: string) => Latency | undefined

const milliseconds = z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS))
const spreadSchema = z
  .strictObject({ p50Ms: milliseconds.check(z.positive()), p95Ms: milliseconds })
  .check(z.refine(({ p50Ms, p95Ms }) => p50Ms <= p95Ms, 'p95Ms must not be below p50Ms'))

/** 95 % of a normal distribution are below so many standard deviations. */
const DEVIATIONS_AT_P95 = 1.644854

/** How long the run with this seed takes. The same seed gives the same time. */
export function latencyMs(latency: Latency, seed: number): number {
  if (typeof latency === 'number') return latency
  const { p50Ms, p95Ms } = latency
  const sigma = Math.log(p95Ms / p50Ms) / DEVIATIONS_AT_P95
  return Math.min(LATEST_TIME_MS, Math.round(p50Ms * Math.exp(sigma * normal(seed))))
}

/** @returns the latency of each model, or a sentence about what is wrong with the option */
export function readLatency(option: LatencyOption | undefined, modelIds: readonly string[]): ShapeCheck<LatencyOf> {
  if (option === undefined) return { ok: true, value: () => undefined }
  if (isForAll(option)) {
    const checked = readOne(option)
    return checked.ok ? { ok: true, value: () => checked.value } : checked
  }
  const byModel = new Map<string, Latency>()
  for (const [id, latency] of Object.entries(option)) {
    const checked = modelIds.includes(id) ? readOne(latency) : { ok: false as const, message: noModel(id, modelIds) }
    if (!checked.ok) return { ok: false, message: `${id}: ${checked.message}` }
    byModel.set(id, checked.value)
  }
  return { ok: true, value: (id) => byModel.get(id) }
}

function isForAll(option: LatencyOption): option is Latency {
  return typeof option !== 'object' || option === null || 'p50Ms' in option || 'p95Ms' in option
}

function readOne(latency: Latency): ShapeCheck<Latency> {
  return typeof latency === 'object' ? parseShape(spreadSchema, latency) : parseShape(milliseconds, latency)
}

function noModel(id: string, modelIds: readonly string[]): string {
  const closest = closestName(id, modelIds)
  return closest === undefined
    ? 'The catalog has no such model.'
    : `The catalog has no such model. Did you mean ${closest}?`
}

/** A number of the standard normal distribution (Box and Muller). */
function normal(seed: number): number {
  return Math.sqrt(-2 * Math.log(uniform(seed, 1))) * Math.cos(2 * Math.PI * uniform(seed, 2))
}

/** Above 0, at most 1. The finalizer of MurmurHash3: seeds that are close to each other give numbers that are not. */
function uniform(seed: number, stream: number): number {
  let bits = (seed ^ Math.imul(stream, 0x9e3779b9)) | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (((bits ^ (bits >>> 16)) >>> 0) + 1) / 2 ** 32
}
