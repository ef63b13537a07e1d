import { PauseQueue, repeatUntilStored, systemClock } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Json, Task, TaskFailure } from '../engine/engine.ts'
import { keyOf, type Outcome, type PollData, type SubmitData } from './run-types.ts'
import { type EndedStep, endedStep, type RunEnd } from './step-run.ts'

/** The queues of a batch. No worker works `outcomes`. A dead task of `submit` or `poll` is an `unknown` run. */
export class RunQueues {
  readonly submit: string
  readonly poll: string
  readonly outcomes: string
  /** Marks of attempts after the first: how many runs were retried. Never worked. */
  readonly retried: string
  /** Requests to cancel a run before it is sent. Never worked. */
  readonly cancels: string
  /** Marks of runs that were cancelled before they were sent, and have left `submit`. Never worked. */
  readonly unsent: string
  /** Marks of the ends that are not a success, to count them. Never worked. */
  readonly ends: Readonly<Record<Exclude<Outcome['state'], 'succeeded'>, string>>
  /** Has one task while the batch is paused by its user. Never worked. */
  readonly paused: string
  readonly credits: string
  /** Counter of the runs that are under way at the service, with `maxRunning`. */
  readonly places: string
  /** Name of the inbox of the batch. */
  readonly inbox: string

  constructor(name: string) {
    this.submit = `${name}:submit`
    this.poll = `${name}:poll`
    this.outcomes = `${name}:outcomes`
    this.retried = `${name}:retried`
    this.cancels = `${name}:cancels`
    this.unsent = `${name}:unsent`
    this.ends = { failed: `${name}:failed`, cancelled: `${name}:cancelled`, rejected: `${name}:rejected` }
    this.paused = `${name}:paused`
    this.places = `${name}:places`
    this.credits = `${name}:credits`
    this.inbox = `${name}:inbox`
  }

  /** Counter of the decisions to send an unknown run again. */
  resubmits(id: string): string {
    return `${this.credits}:resubmits:${id}`
  }
}

/** The parts of a batch. */
export interface RunsContext {
  engine: Engine
  client: ModelRun
  queues: RunQueues
  /** Present when results come by webhook. */
  inbox?: Inbox
  maxCredits: number | undefined
  maxRunning: number | undefined
  onUnknown: 'park' | 'resubmit'
  giveUpAfterMs: number
  onPause(reason: Error): void
  onEnd(run: EndedStep): void
  metric: Metric
  onError(error: unknown): void
  /** Of a call that works one run. */
  watch?: Watch
}

/** What one call sees of the run that it works. It is right also when the store fails. */
export interface Watch {
  /** The POST may have been made. */
  isMarked?: boolean
  jobId?: string
  pause?: TaskFailure
  end?: EndedStep
}

/** Notifies the call that works this run, if there is one. */
export function note({ watch }: RunsContext, seen: Watch): void {
  if (watch !== undefined) Object.assign(watch, seen)
}

// The data is JSON: it was parsed from JSON, or consists of texts and numbers.

export function asJson(value: SubmitData | PollData | Outcome): Json {
  return value as unknown as Json
}

export function fromJson<Value extends SubmitData | PollData | Outcome | TaskFailure>(value: Json): Value {
  return value as unknown as Value
}

/** Repeats a change of the store until it succeeds: nothing else knows what it stores. */
export function untilStored(change: () => Promise<void>, onError: (error: unknown) => void): Promise<void> {
  return repeatUntilStored(change, { clock: systemClock, firstMs: 100, maxMs: 5_000, onError })
}

/**
 * The part of the counted credits that is this send of a run. Each send that may have been accepted has a part of its own,
 * because it may be charged; a send that is repeated, because it was not made, has the same one.
 */
export async function creditsPart(
  { id, fence, lost }: Pick<Task, 'id' | 'fence' | 'lost'>,
  { engine, queues }: RunsContext,
): Promise<string> {
  const resubmits = fence === 1 ? 0 : await engine.total(queues.resubmits(id))
  return `${id}/${resubmits}/${lost}`
}

/** Stores how an attempt ended. The first outcome stays. */
export async function storeOutcome(id: string, outcome: Outcome, context: RunsContext): Promise<void> {
  const { engine, queues } = context
  await engine.add(queues.outcomes, id, { data: asJson(outcome) })
  if (outcome.state !== 'succeeded') await countEnd(id, outcome.state, context)
  await freePlace(id, context)
  reportEnd(id, outcome, context)
}

/** Reports that a run has ended, or is unknown. */
export function reportEnd(id: string, end: RunEnd, context: RunsContext): void {
  const step = endedStep({ ...end, key: keyOf(id) })
  if (step === undefined) return
  note(context, { end: step })
  context.metric(step.state, { id, jobId: step.jobId })
  context.onEnd(step)
}

/** Counts an end that is not a success, if it is the one that was stored. */
async function countEnd(id: string, state: keyof RunQueues['ends'], { engine, queues }: RunsContext): Promise<void> {
  const stored = await engine.get(queues.outcomes, id)
  if (stored === undefined || fromJson<Outcome>(stored.data).state !== state) return
  await engine.add(queues.ends[state], id, { data: null })
}

/** Wait for a place, of all processes. */
const FULL_DELAY_MS = 300

/** Takes one of `maxRunning` places for a run that is about to be sent. @throws PauseQueue when all are taken */
export async function takePlace(id: string, { engine, queues, maxRunning }: RunsContext): Promise<void> {
  if (maxRunning === undefined) return
  if (!(await engine.reserve(queues.places, id, { amount: 1, limit: maxRunning }))) throw new PauseQueue(FULL_DELAY_MS)
}

/** Frees the place of a run that has ended, was not sent, or is unknown. A repeated call changes nothing. */
export async function freePlace(id: string, { engine, queues, maxRunning }: RunsContext): Promise<void> {
  if (maxRunning !== undefined) await engine.release(queues.places, id)
}

/**
 * - `sent`: the service has accepted a run
 * - `succeeded`, `failed`, `cancelled`, `rejected`: a run has ended
 * - `unknown`: a run needs a decision
 * - `retried`: a run that had ended is sent again
 * - `submit_ms`: how long the service took to accept a run
 */
type RunsMetricName = 'sent' | 'succeeded' | 'failed' | 'cancelled' | 'rejected' | 'unknown' | 'retried' | 'submit_ms'

/** One count, or one measured time, of the process that saw it. After a crash, a thing may be counted once more. */
export interface RunsMetric {
  /** What was counted or measured. */
  name: RunsMetricName
  /** 1 for each thing counted; milliseconds for `submit_ms`. */
  value: number
  /** The run. */
  key: string
  /** Identifier of its job, when it is known. */
  jobId?: string | undefined
}

/** Reports a metric. */
export type Metric = (name: RunsMetricName, run: { id: string; jobId?: string | undefined }, value?: number) => void

/** @param onError notified of a hook that throws or rejects; it changes nothing */
export function guardHook<Value>(
  hook: ((value: Value) => unknown) | undefined,
  onError: (error: unknown) => void,
): (value: Value) => void {
  return async (value) => {
    try {
      await hook?.(value)
    } catch (error) {
      onError(error)
    }
  }
}
