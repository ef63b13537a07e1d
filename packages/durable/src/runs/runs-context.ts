import { repeatUntilStored, systemClock } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Json, Task } from '../engine/engine.ts'
import type { Outcome, PollData, SubmitData } from './run-types.ts'
import type { Metric } from './runs-metrics.ts'

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
  metric: Metric
  onError(error: unknown): void
}

// The data is JSON: it was parsed from JSON, or consists of texts and numbers.

export function asJson(value: SubmitData | PollData | Outcome): Json {
  return value as unknown as Json
}

export function fromJson<Value extends SubmitData | PollData | Outcome>(value: Json): Value {
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
  const resubmits = fence === 1 ? 0 : await engine.tally(queues.resubmits(id), 0)
  return `${id}/${resubmits}/${lost}`
}
