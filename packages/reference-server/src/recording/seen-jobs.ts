import { tryParseJson } from '@modelrun/kit'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import { type Exchange, errorIn, membersOf } from './exchange.ts'
import type { Findings } from './findings.ts'
import { median, type SeenModels } from './seen-models.ts'

/** A job, as far as its requests have shown it. */
interface SeenJob {
  model: string
  /** What it did. Not of the model when its input was wrong. */
  outcome: ScriptedOutcome
  /** How many files were asked for. */
  count: number
  startedAt: number
  /** When it was seen unfinished for the last time. */
  openAt: number
  /** When it was seen queued for the last time; `undefined` when it was not, or once it was seen to have left the queue. */
  queuedAt: number | undefined
  queuedMs: number
  /** Whether a synchronous run had its response before the hold was over: a job that is over can do so. */
  isPromotedEarly: boolean
  end: string | undefined
}

const MAX_JOBS = 10_000
/** A synchronous run is held for about 55 s (section 8). */
const LEAST_HOLD_MS = 50_000

/** The jobs that were run since the recorder started. */
export class SeenJobs {
  readonly #models: SeenModels
  readonly #findings: Findings
  readonly #jobs = new Map<string, SeenJob>()
  readonly #queuedMs: number[] = []

  constructor(models: SeenModels, findings: Findings) {
    this.#models = models
    this.#findings = findings
  }

  /** A run was made (section 4.3). */
  ran(exchange: Exchange, model: string): void {
    const { status, json, body, startedAt, endedAt } = exchange
    const { sync, webhook_url, input } = membersOf(tryParseJson(body))
    const { status: state, job_id } = membersOf(json)
    const count = membersOf(input).num_images
    const job: SeenJob = {
      model,
      outcome: this.#models.ran(model),
      count: typeof count === 'number' ? count : 1,
      startedAt,
      openAt: endedAt,
      queuedAt: state === 'queued' ? endedAt : undefined,
      queuedMs: 0,
      isPromotedEarly:
        state === 'processing' && sync !== false && webhook_url === undefined && endedAt - startedAt < LEAST_HOLD_MS,
      end: undefined,
    }
    if (typeof job_id === 'string') this.#remember(job_id, job)
    if (sync === false) this.#startedAsync(status, state)
    else if (state !== 'processing' && state !== 'queued') this.#endedHeld(exchange, job)
  }

  /** The status of a job was read (section 4.4). */
  read({ json, endedAt }: Exchange, id: string): void {
    const data = membersOf(membersOf(json).data)
    const job = this.#jobs.get(id)
    const isOpen = data.status === 'queued' || data.status === 'processing'
    if (job === undefined || job.end !== undefined) return
    if (job.queuedAt !== undefined && data.status !== 'queued') this.#leftQueue(job, job.queuedAt, endedAt)
    if (data.status === 'queued') job.queuedAt = endedAt
    if (isOpen) job.openAt = endedAt
    else this.#ended(job, data, endedAt)
  }

  /** A cancel had a response of success or an error (section 4.5). */
  cancelled(exchange: Exchange, id: string): void {
    const { status, endedAt } = exchange
    const job = this.#jobs.get(id)
    if (job === undefined || job.end !== undefined || status >= 400) return
    if (status === 200 || status === 202 || status === 204) this.#findings.set({ cancelStatus: status })
    this.#stopped(job, endedAt)
  }

  #remember(id: string, job: SeenJob): void {
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size >= MAX_JOBS && oldest !== undefined) this.#jobs.delete(oldest)
    this.#jobs.set(id, job)
  }

  #startedAsync(status: number, state: unknown): void {
    if (state === 'queued' && (status === 200 || status === 202)) this.#findings.set({ asyncRunStatus: status })
  }

  /** The job of a synchronous run ended while the run was held. */
  #endedHeld({ status, json, endedAt }: Exchange, job: SeenJob): void {
    const { status: state } = membersOf(json)
    const isFailed = state !== 'completed' && state !== 'cancelled'
    if (isFailed) this.#findings.set({ failedSyncRunStatus: status })
    const end = state === 'completed' ? 'succeeded' : isFailed ? 'failed' : 'cancelled'
    this.#ended(job, { ...membersOf(json), status: end }, endedAt)
  }

  #leftQueue(job: SeenJob, queuedAt: number, now: number): void {
    job.queuedMs = Math.round((queuedAt + now) / 2 - job.startedAt)
    job.queuedAt = undefined
    this.#queuedMs.push(job.queuedMs)
    this.#findings.set({ queuedMs: median(this.#queuedMs) })
  }

  #ended(job: SeenJob, data: Readonly<Record<string, unknown>>, now: number): void {
    const { outcome, model, count } = job
    if (data.status === 'cancelled') this.#stopped(job, now)
    if (data.status !== 'succeeded' && data.status !== 'failed') return
    const isFailed = data.status === 'failed'
    job.end = data.status
    outcome.result = data.status
    outcome.after_ms = endMs(job, data, now)
    outcome.error = isFailed ? errorIn(data) : undefined
    this.#models.ended(model, outcome, { output: data.output, credits: data.credits_used, count })
    if (isFailed && job.isPromotedEarly) this.#findings.set({ failedSyncRunStatus: 202 })
  }

  /** It was cancelled before its end. Another client that is as fast can cancel it as well. */
  #stopped(job: SeenJob, now: number): void {
    job.end = 'cancelled'
    job.outcome.after_ms = Math.max(2 * (now - job.startedAt), this.#models.latencyMs(job.model))
  }
}

/** How long a job took: as it says itself, where that fits what was seen, else the middle of what is possible. */
function endMs({ startedAt, openAt, queuedMs }: SeenJob, data: Readonly<Record<string, unknown>>, now: number): number {
  const [least, most] = [openAt - startedAt, now - startedAt]
  const shown = [
    Date.parse(String(data.completed_at)) - Date.parse(String(data.created_at)),
    queuedMs + Number(data.duration_ms ?? Number.NaN),
  ]
  return shown.find((ms) => ms >= least && ms <= most) ?? Math.round((least + most) / 2)
}
