import type { Job } from '@modelrun/contract'
import { isModelRunError } from '../errors/guards.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import type { PollOutcome } from '../jobs/polling/polled-jobs.ts'
import { nodeBuiltin } from '../node-builtin.ts'
import { asWord, reasonOf } from './describe-failure.ts'
import type { SafeSpan } from './safe-span.ts'
import type { Tracing } from './tracing.ts'

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

/** Starts the span of a wait, as a child of the span that is active. Undefined without a tracer. */
export function startWaitSpan(tracing: Tracing | undefined, wait: TracedWait): WaitSpan | undefined {
  if (tracing === undefined) return undefined
  const { jobId, modelId } = wait.job
  const attributes = { 'gen_ai.request.model': modelId, 'gen_ai.response.id': jobId }
  return tracing.inSpan({ name: 'modelrun.wait', kind: 'internal', attributes }, (span) => new WaitSpan(span, wait))
}

function outcomeOf(outcome: PollOutcome): { [name: string]: string } {
  if ('job' in outcome) return { 'modelrun.job.status': asWord(outcome.job.status) }
  const error = 'failure' in outcome ? outcome.failure : outcome.error
  return { 'modelrun.reason': isModelRunError(error) ? reasonOf(error) : asWord(undefined) }
}
