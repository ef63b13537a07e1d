import type { ModelRun } from 'modelrun'
import type { Engine, Json } from '../engine/engine.ts'
import type { FollowData, Outcome, SubmitData } from './run-types.ts'

/** The queues of a batch. What is in `outcomes` is kept there; nothing works it. A dead task of the two others is `unknown`. */
export class RunQueues {
  readonly submit: string
  readonly follow: string
  readonly outcomes: string
  readonly credits: string

  constructor(name: string) {
    this.submit = `${name}:submit`
    this.follow = `${name}:follow`
    this.outcomes = `${name}:outcomes`
    this.credits = `${name}:credits`
  }
}

/** What the parts of a batch share. */
export interface RunsContext {
  engine: Engine
  client: ModelRun
  queues: RunQueues
  maxCredits: number | undefined
  onUnknown: 'park' | 'resubmit'
  onPause(reason: Error): void
  onError(error: unknown): void
}

// What these carry is JSON: it came from JSON, or was made of texts and numbers here.

export function asJson(value: SubmitData | FollowData | Outcome): Json {
  return value as unknown as Json
}

export function fromJson<Value extends SubmitData | FollowData | Outcome>(value: Json): Value {
  return value as unknown as Value
}
