import type { ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Json } from '../engine/engine.ts'
import { repeatUntilStored } from '../engine/repeat.ts'
import type { Outcome, PollData, SubmitData } from './run-types.ts'

/** The queues of a batch. No worker works `outcomes`. A dead task of `submit` or `poll` is an `unknown` run. */
export class RunQueues {
  readonly submit: string
  readonly poll: string
  readonly outcomes: string
  readonly credits: string
  /** Name of the inbox of the batch. */
  readonly inbox: string

  constructor(name: string) {
    this.submit = `${name}:submit`
    this.poll = `${name}:poll`
    this.outcomes = `${name}:outcomes`
    this.credits = `${name}:credits`
    this.inbox = `${name}:inbox`
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
  onUnknown: 'park' | 'resubmit'
  onPause(reason: Error): void
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
  return repeatUntilStored(change, { firstMs: 100, maxMs: 5_000, onError })
}
