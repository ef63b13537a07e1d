import { JOB_STATUSES, type RejectionKind } from '@modelrun/contract'
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
  /** Mistakes in its input that the service did not reject. */
  wrong: readonly RejectionKind[]
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
  /** Members of the status of jobs, by the status. */
  readonly #shown = new Map<string, ReadonlySet<string>>()

  constructor(models: SeenModels, findings: Findings) {
    this.#models = models
    this.#findings = findings
    for (const field of findings.profile.jobFields ?? []) {
      const [status, name] = field.includes('/') ? field.split('/') : ['', field]
      for (const one of status === '' ? JOB_STATUSES : [status]) this.#show(String(one), [String(name)])
    }
  }

  #show(status: string, names: readonly string[]): void {
    this.#shown.set(status, new Set([...(this.#shown.get(status) ?? []), ...names]))
  }

  /** A run was made (section 4.3). */
  ran(exchange: Exchange, model: string, mistakes: readonly RejectionKind[]): void {
    const { status, json, body, startedAt, endedAt } = exchange
    const { sync, webhook_url, input } = membersOf(tryParseJson(body))
    const { status: state, job_id } = membersOf(json)
    const count = membersOf(input).num_images
    const wrong = mistakes.filter((kind) => kind === 'missingParameter' || kind === 'invalidInput')
    const job: SeenJob = {
      model,
      outcome: wrong.length === 0 ? this.#models.ran(model) : { result: 'failed' },
      wrong,
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
    const more = moreMembers(membersOf(json), String(state))
    this.#findings.set({ runFields: [...new Set([...(this.#findings.profile.runFields ?? []), ...more])] })
    if (sync === false) this.#startedAsync(status, state, webhook_url)
    else if (state !== 'processing' && state !== 'queued') this.#endedHeld(exchange, job)
  }

  /** The status of a job was read (section 4.4). */
  read({ status, json, endedAt }: Exchange, id: string): void {
    const data = membersOf(membersOf(json).data)
    const job = this.#jobs.get(id)
    const isOpen = data.status === 'queued' || data.status === 'processing'
    if (isOpen && (status === 200 || status === 202)) this.#findings.set({ unfinishedJobStatus: status })
    if (isOpen) this.#findings.set({ absentJobFields: data.output === null ? 'null' : 'left-out' })
    const names = Object.keys(data).filter((name) => !['status', 'output', 'error'].includes(name))
    this.#show(String(data.status), names)
    this.#findings.set({ jobFields: byStatus(this.#shown) })
    this.#findings.held('jobs', { error: data.error })
    if (job === undefined || job.end !== undefined) return
    if (job.queuedAt !== undefined && data.status !== 'queued') this.#leftQueue(job, job.queuedAt, endedAt)
    if (data.status === 'queued') job.queuedAt = endedAt
    if (isOpen) job.openAt = endedAt
    else this.#ended(job, data, endedAt)
  }

  /** A cancel had a response of success or an error (section 4.5). */
  cancelled(exchange: Exchange, id: string): void {
    const { status, json, endedAt } = exchange
    const job = this.#jobs.get(id)
    const kind = cancelKind(job)
    const fields = pointersOf(json)
    if (status >= 400) this.#findings.rejected(kind, exchange)
    else if (job?.end !== undefined) this.#findings.set({ rejections: { [kind]: { status, code: null, fields } } })
    else if (job !== undefined) {
      if (status === 200 || status === 202 || status === 204) {
        this.#findings.set({ cancelStatus: status, cancelFields: fields })
      }
      this.#stopped(job, endedAt)
    }
  }

  #remember(id: string, job: SeenJob): void {
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size >= MAX_JOBS && oldest !== undefined) this.#jobs.delete(oldest)
    this.#jobs.set(id, job)
  }

  #startedAsync(status: number, state: unknown, webhookUrl: unknown): void {
    if (state === 'queued' && (status === 200 || status === 202)) this.#findings.set({ asyncRunStatus: status })
    if (webhookUrl !== undefined && (state === 'queued' || state === 'processing')) {
      this.#findings.set({ asyncRunWithWebhook: state })
    }
  }

  /** The job of a synchronous run ended while the run was held. */
  #endedHeld({ status, json, endedAt }: Exchange, job: SeenJob): void {
    const { status: state } = membersOf(json)
    const isFailed = state !== 'completed' && state !== 'cancelled'
    if (state === 'cancelled' && (status === 200 || status === 409)) {
      this.#findings.set({ cancelledSyncRunStatus: status })
    }
    if (isFailed) {
      this.#findings.set({ failedSyncRunStatus: status, failedSyncRunBody: failedBodyOf(json) })
      const { job_id, request_id, status: _, model_id, ...body } = membersOf(json)
      this.#findings.held('runs', body)
    }
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
    const { outcome, model, count, wrong } = job
    if (data.status === 'cancelled') this.#stopped(job, now)
    if (data.status !== 'succeeded' && data.status !== 'failed') return
    const isFailed = data.status === 'failed'
    job.end = data.status
    outcome.result = data.status
    outcome.after_ms = endMs(job, data, now)
    outcome.error = isFailed ? errorIn(data) : undefined
    this.#models.ended(model, outcome, { output: data.output, credits: data.credits_used, count })
    for (const kind of isFailed ? [] : wrong) this.#findings.retract(kind)
    if (isFailed && job.isPromotedEarly) this.#findings.set({ failedSyncRunStatus: 202 })
  }

  /** It was cancelled before its end. Another client that is as fast can cancel it as well. */
  #stopped(job: SeenJob, now: number): void {
    job.end = 'cancelled'
    job.outcome.after_ms = Math.max(2 * (now - job.startedAt), this.#models.latencyMs(job.model))
  }
}

/** Members that all these statuses have, and those of some behind the status. */
function byStatus(shown: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const fields = [...shown].flatMap(([status, names]) =>
    [...names].map((name) => ([...shown.values()].every((other) => other.has(name)) ? name : `${status}/${name}`)),
  )
  return [...new Set(fields)]
}

const IDENTITY = ['job_id', 'request_id', 'status', 'model_id']
/** Members that section 4.3 names, by the status of the response. */
const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['completed', [...IDENTITY, 'output', 'duration_ms', 'credits_used']],
  ['queued', IDENTITY],
  ['processing', [...IDENTITY, 'message']],
  ['cancelled', [...IDENTITY, 'error']],
])

/** Others, as in `queued/created_at`. */
function moreMembers(body: Readonly<Record<string, unknown>>, status: string): string[] {
  const named = NAMED.get(status)
  if (named === undefined) return []
  return Object.keys(body).flatMap((name) => (named.includes(name) ? [] : [`${status}/${name}`]))
}

/** The body of a run that failed while it was held, as the assumption says it. */
function failedBodyOf(json: unknown): 'job' | 'error' | string[] {
  const names = Object.keys(membersOf(json))
  const isOf = (others: readonly string[]) => names.toSorted().join() === others.toSorted().join()
  if (isOf(['error'])) return 'error'
  return isOf([...IDENTITY, 'error']) ? 'job' : names.map((name) => `/${name}`)
}

function cancelKind(job: SeenJob | undefined) {
  if (job === undefined) return 'cancelOfUnknownJob'
  return job.end === 'cancelled' ? 'cancelOfCancelledJob' : 'cancelOfFinishedJob'
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

/** Where the values of a body are, as JSON pointers. */
function pointersOf(value: unknown, parent = ''): string[] {
  const members = Object.entries(membersOf(value))
  if (members.length === 0) return parent === '' ? [] : [parent]
  return members.flatMap(([name, member]) => pointersOf(member, `${parent}/${name}`))
}
