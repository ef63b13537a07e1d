import { type Job, ROUTES } from '@modelrun/contract'
import { ModelRunError } from '@modelrun/kit'
import type { ApiResult } from '../http/operation.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import type { PollOutcome } from '../jobs/polling/polled-jobs.ts'
import { nodeBuiltin } from '../node-builtin.ts'
import type { RunResult } from '../runs/run-result.ts'
import { asWord, reasonOf } from './describe-failure.ts'
import type { AttemptEvent } from './logger.ts'
import type { SafeSpan } from './safe-span.ts'
import { createTracing, type Tracing, type TracingOptions } from './tracing.ts'

/** The run that a span is for. */
export interface TracedRun {
  model: string
  input: object
}

/** The spans of the runs and waits of one client. */
export class RunSpans {
  readonly #tracing: Tracing

  constructor(options: TracingOptions) {
    this.#tracing = createTracing(options)
  }

  /** Does the work of a run in the span of the run, which {@link endRun} has to end. */
  inRun<T>({ model, input }: TracedRun, work: (span: SafeSpan) => T): T {
    const attributes = {
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': 'modelrun',
      'gen_ai.request.model': model,
      'gen_ai.request.seed': seedIn(input),
      ...this.#tracing.server,
      'modelrun.polls': 0,
    }
    return this.#tracing.inSpan({ name: `generate_content ${model}`, kind: 'client', attributes }, work)
  }

  /** Ends the span of a run as the run ended. */
  endRun(span: SafeSpan, run: PromiseSettledResult<RunResult>): void {
    if (run.status === 'rejected') {
      const { reason } = run
      if (reason instanceof ModelRunError) {
        span.set({ 'gen_ai.response.id': reason.jobId, 'modelrun.submission': reason.submission })
      }
      span.fail(reason)
      return
    }
    const { job_id, status, output, credits_used } = run.value
    span.set({
      'gen_ai.response.id': job_id,
      'gen_ai.output.type': asWord(output.type),
      'modelrun.job.status': status,
      'modelrun.credits_used': credits_used,
      'modelrun.submission': 'accepted',
    })
    span.end()
  }

  /** Does a run in a span that ends with it. */
  async run(run: TracedRun, work: (span: SafeSpan) => Promise<ApiResult<RunResult>>): Promise<ApiResult<RunResult>> {
    return await this.inRun(run, async (span) => {
      try {
        const result = await work(span)
        this.endRun(span, { status: 'fulfilled', value: result.data })
        return result
      } catch (reason) {
        this.endRun(span, { status: 'rejected', reason })
        throw reason
      }
    })
  }

  /** Sends a run in a span that ends with the last attempt. */
  async submit<T extends { reference: { jobId: string } }>(
    model: string,
    submit: (onAttempt: (event: AttemptEvent) => void) => Promise<T>,
  ): Promise<T> {
    const { method, path } = ROUTES.runModel
    const attributes = {
      'gen_ai.request.model': model,
      'http.request.method': method,
      'url.template': path,
      ...this.#tracing.server,
    }
    return await this.#tracing.inSpan({ name: 'modelrun.submit', kind: 'client', attributes }, async (span) => {
      try {
        const sent = await submit((event) => noteAttempt(span, event))
        span.set({ 'gen_ai.response.id': sent.reference.jobId })
        span.end()
        return sent
      } catch (error) {
        span.fail(error)
        throw error
      }
    })
  }

  /** Starts the span of a wait, as a child of the span that is active. */
  wait(wait: TracedWait): WaitSpan {
    const { jobId, modelId } = wait.job
    const attributes = { 'gen_ai.request.model': modelId, 'gen_ai.response.id': jobId }
    const start = { name: 'modelrun.wait', kind: 'internal', attributes } as const
    return this.#tracing.inSpan(start, (span) => new WaitSpan(span, wait))
  }
}

/** The `seed` of an input, when it has one by the conventions: an integer. */
function seedIn(input: object): number | undefined {
  try {
    const seed: unknown = Reflect.get(input, 'seed')
    return Number.isSafeInteger(seed) ? (seed as number) : undefined
  } catch {
    // A getter that throws, or what is not an object: the check of the input says so.
    return undefined
  }
}

function noteAttempt(span: SafeSpan, { attempt, status, reason, delayMs }: AttemptEvent): void {
  if (attempt > 1) span.set({ 'http.request.resend_count': attempt - 1 })
  if (delayMs === undefined) span.set({ 'http.response.status_code': status })
  else span.event('modelrun.retry', { 'modelrun.reason': asWord(reason), 'modelrun.delay_ms': Math.round(delayMs) })
}

/** Together below 128: past that number of events OpenTelemetry throws the oldest away. */
const MAX_POLL_EVENTS = 100
const MAX_STATE_EVENTS = 20

/** The job of a wait. */
interface TracedWait {
  job: JobReference
  /** The span of the run that the wait is part of. */
  run?: SafeSpan | undefined
}

/** The span of one wait. Each poll is an event of it, up to a limit: ten thousand waits must not drown a backend. */
export class WaitSpan {
  readonly #span: SafeSpan
  readonly #run: SafeSpan | undefined
  readonly #runInContext: (<T>(work: () => T) => T) | undefined
  #polls = 0
  #states = 0

  /** Must be called while the span is the active one. */
  constructor(span: SafeSpan, { job, run }: TracedWait) {
    this.#span = span
    this.#run = run
    this.#runInContext = nodeBuiltin('node:async_hooks')?.AsyncLocalStorage.snapshot?.()
    run?.set({ 'gen_ai.response.id': job.jobId, 'modelrun.submission': 'accepted' })
  }

  /** Does work with the span as the active one. A timer, which serves many waits, has the context of one of them. */
  within<T>(work: () => T): T {
    return this.#runInContext === undefined ? work() : this.#runInContext(work)
  }

  onPoll(outcome: PollOutcome): void {
    this.#polls++
    if (this.#polls <= MAX_POLL_EVENTS) this.#span.event('modelrun.poll', outcomeOf(outcome))
  }

  onState(job: Job): void {
    this.#addStateEvent('modelrun.state', job)
    for (const span of [this.#span, this.#run]) span?.set({ 'modelrun.job.status': asWord(job.status) })
  }

  /** A webhook has delivered the end. */
  onDelivery(job: Job): void {
    this.#addStateEvent('modelrun.delivery', job)
  }

  end(): void {
    this.#count()
    this.#span.end()
  }

  fail(error: unknown): void {
    this.#count()
    this.#span.fail(error)
  }

  /** The caller has stopped waiting, for the run too. Changes nothing after the end. */
  abandon(): void {
    this.#count()
    this.#span.abandon()
    this.#run?.abandon()
  }

  #addStateEvent(name: string, { status }: Job): void {
    this.#states++
    if (this.#states <= MAX_STATE_EVENTS) this.#span.event(name, { 'modelrun.job.status': asWord(status) })
  }

  #count(): void {
    for (const span of [this.#span, this.#run]) span?.set({ 'modelrun.polls': this.#polls })
  }
}

function outcomeOf(outcome: PollOutcome): { [name: string]: string } {
  if ('job' in outcome) return { 'modelrun.job.status': asWord(outcome.job.status) }
  const error = 'failure' in outcome ? outcome.failure : outcome.error
  return { 'modelrun.reason': error instanceof ModelRunError ? reasonOf(error) : asWord(undefined) }
}
