import type { Json, Task, TaskFailure, TaskHandler } from '@modelrun/kit'
import { PauseQueue, RetryAfterError, sleep, systemClock, untilStored } from '@modelrun/kit'
import { type ModelRun, ModelRunError } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Guard } from '../engine/engine.ts'
import type { EndedStep, Outcome, PollData, RunEnd, SubmitData } from './run-types.ts'
import { endedStep, keyOf, nextAttemptId } from './run-types.ts'

/** The queues and counters of a batch. Only `submit` and `poll` are worked; a dead task of theirs is an `unknown` run. */
export function queuesOf(name: string) {
  return {
    submit: `${name}:submit`,
    poll: `${name}:poll`,
    outcomes: `${name}:outcomes`,
    /** Marks of attempts after the first: how many runs were retried. */
    retried: `${name}:retried`,
    /** Locks of what is decided about a run, or a job. */
    decisions: `${name}:decisions`,
    /** Requests to cancel a run before it is sent. */
    cancels: `${name}:cancels`,
    /** Marks of runs that were cancelled before they were sent, and have left `submit`. */
    unsent: `${name}:unsent`,
    /** Marks of the ends that are not a success, to count them. */
    ends: { failed: `${name}:failed`, cancelled: `${name}:cancelled`, rejected: `${name}:rejected` },
    /** Has one task while the batch is paused by its user. */
    paused: `${name}:paused`,
    credits: `${name}:credits`,
    /** Counter of the runs that are under way at the service, with `maxRunning`. */
    places: `${name}:places`,
    inbox: `${name}:inbox`,
    /** Counter of the decisions to send an unknown run again. */
    resubmits: (id: string) => `${name}:credits:resubmits:${id}`,
  } as const
}

export interface RunsContext {
  engine: Engine
  /** The engine for decisions, where changes of `engine` depend on a task. */
  locks?: Engine
  client: ModelRun
  queues: ReturnType<typeof queuesOf>
  /** Present when results come by webhook. */
  inbox?: Inbox
  maxCredits: number | undefined
  maxRunning: number | undefined
  giveUpAfterMs: number
  onPause(reason: Error): void
  onEnd(run: EndedStep): void
  onError(error: unknown): void
  /** Whether the store has responded, and whether runs have places. */
  known: { hasResponded?: boolean; hasPlaces?: boolean | undefined }
  /** Since when no run is sent, or no job is polled, because the service fails, and when that is reported next. */
  outages: Partial<Record<'submit' | 'poll', { since: number; reportAt: number } | undefined>>
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

/** How often a person has decided to send the run again, because an earlier send of it may be charged. */
export function resubmitsOf(id: string, { engine, queues }: RunsContext): Promise<number> {
  return engine.total(queues.resubmits(id))
}

/** The same for a task that is worked: the store is not read for one that was never worked before. */
export async function earlierSends({ id, fence }: Pick<Task, 'id' | 'fence'>, context: RunsContext): Promise<number> {
  return fence === 1 ? 0 : await resubmitsOf(id, context)
}

/**
 * The part of the counted credits that is this send of a run. Each send that may have been accepted has a part of its own,
 * because it may be charged; a send that is repeated, because it was not made, has the same one.
 */
export async function creditsPart(task: Pick<Task, 'id' | 'fence'>, context: RunsContext): Promise<string> {
  return partOf(task.id, await earlierSends(task, context))
}

/** The last number is stored since 0.1.0. */
export function partOf(id: string, resubmits: number): string {
  return `${id}/${resubmits}/0`
}

/**
 * The context of what works a task, or has it locked since this fence. What it changes late, because the process or a request stood
 * still, does nothing: meanwhile the run may have been deleted and added again, or another process may have decided.
 */
export function guardedBy(guard: Guard, context: RunsContext): RunsContext {
  const { locks = context.engine } = context
  return { ...context, locks, engine: locks.guardedBy(guard) }
}

/** Stores how an attempt ended. The first outcome stays. Its place is freed before: no call works a run that has ended. */
export async function storeOutcome(id: string, outcome: Outcome, context: RunsContext): Promise<void> {
  const { engine, queues } = context
  await freePlace(id, context)
  await engine.add(queues.outcomes, id, { data: asJson(outcome) })
  await settleEnd(id, outcome.state, context)
  reportEnd(id, outcome, context)
}

export function reportEnd(id: string, end: RunEnd, context: RunsContext): void {
  const step = endedStep({ ...end, key: keyOf(id) })
  if (step === undefined) return
  note(context, { end: step })
  context.onEnd(step)
}

/** Counts the end of an attempt. A repeated call changes nothing. */
export async function settleEnd(id: string, state: Outcome['state'], context: RunsContext): Promise<void> {
  const { engine, queues } = context
  if (state === 'succeeded') return
  await engine.add(queues.ends[state], id, { data: null })
  // An earlier outcome stays, and the mark is of a run that was neither retried nor deleted meanwhile.
  const [stored, retried] = await engine.getAll([
    { queue: queues.outcomes, id },
    { queue: queues.retried, id: nextAttemptId(id) },
  ])
  const isOwn = stored !== undefined && fromJson<Outcome>(stored.data).state === state
  if (!isOwn || retried !== undefined) await engine.remove(queues.ends[state], id)
  // Nothing is charged for it, also when it was cancelled elsewhere.
  if (isOwn && state === 'cancelled') await releaseLast(id, context)
}

/** Gives back the credits of the last send of a run: its job was cancelled. */
export async function releaseLast(id: string, context: RunsContext): Promise<void> {
  await context.engine.release(context.queues.credits, partOf(id, await resubmitsOf(id, context)))
}

/** Works one task of a run now, if no worker has it: before it is due, and in a pause. Resolves to whether it was worked. */
export async function workNow(
  name: 'submit' | 'poll',
  id: string,
  { handler, context: { engine, queues } }: { handler: TaskHandler; context: RunsContext },
): Promise<boolean> {
  const options = { id, isEarly: true, ignoresPause: true, startMark: 'handler' } as const
  return (await engine.once(queues[name], handler, options)).isRun
}

/** Wait for a place, of all processes. */
const FULL_DELAY_MS = 300

/** Takes one of `maxRunning` places for a run that is about to be sent. @throws PauseQueue when all are taken */
export async function takePlace(id: string, { engine, queues, maxRunning }: RunsContext): Promise<void> {
  if (maxRunning === undefined) return
  if (!(await engine.reserve(queues.places, id, { amount: 1, limit: maxRunning }))) throw new PauseQueue(FULL_DELAY_MS)
}

/**
 * Frees the place of a run that has ended, was not sent, or is unknown. A repeated call changes nothing. Also without
 * `maxRunning`: an earlier process may have had it.
 */
export async function freePlace(id: string, context: RunsContext): Promise<void> {
  const { engine, queues, maxRunning, known } = context
  const read = async () => (await engine.total(queues.places)) > 0
  known.hasPlaces ??= maxRunning !== undefined || (await read().catch(() => undefined))
  if (known.hasPlaces) await engine.release(queues.places, id)
}

/** Waits while the store fails. */
export const BACKOFF = { clock: systemClock, firstMs: 100, maxMs: 5_000 } as const

/** Repeats a change of the store until it succeeds, or the engine is closed: nothing else knows what it stores. */
export function stored<Value>(change: () => Promise<Value>, context: RunsContext): Promise<Value> {
  return untilStored(change, { ...BACKOFF, onError: (error) => reportFailure(error, context) })
}

/** Reports a failure of the store. @throws when its engine is closed */
export function reportFailure(error: unknown, { engine, onError }: RunsContext): void {
  engine.closed?.throwIfAborted()
  onError(error)
}

export const FIRST_WAIT_MS = 50

/** How long the decision of a process that died keeps others from deciding. */
export const DECISION_MS = 10_000

/** Decides about a run or a job, alone: of several decisions at the same time each sees what those before it have changed. */
export async function decide<Value>(
  id: string,
  decision: (context: RunsContext) => Promise<Value>,
  context: RunsContext,
): Promise<Value> {
  const { locks: engine = context.engine, queues, onError } = context
  const options = { id, isEarly: true, lockMs: DECISION_MS, startMark: 'handler' } as const
  for (;;) {
    let end: { value: Promise<Value> } | undefined
    await engine.add(queues.decisions, id, { data: null })
    const handler: TaskHandler = async ({ addedAt, fence }) => {
      end = { value: decision(guardedBy({ queue: queues.decisions, id, addedAt, fence }, context)) }
      await end.value.catch(() => {})
      throw new RetryAfterError(0)
    }
    await engine.once(queues.decisions, handler, options)
    if (end !== undefined) {
      // Stays when the decision fails: a deletion that was not completed is found by it.
      const value = await end.value
      await engine.remove(queues.decisions, id).catch(onError)
      return value
    }
    await sleep(systemClock, FIRST_WAIT_MS)
  }
}

/** How long a step repeats what the store did not respond to. */
const PATIENCE_MS = 2_500

/** Repeats what can be repeated without an effect, for some seconds. */
export function patiently<Value>(call: () => Promise<Value>): Promise<Value> {
  const giveUpAt = performance.now() + PATIENCE_MS
  const onError = (error: unknown) => {
    // Errors of the SDK, such as a wrong key, are not those of the store.
    if (error instanceof ModelRunError || performance.now() > giveUpAt) throw error
  }
  return untilStored(call, { clock: systemClock, firstMs: FIRST_WAIT_MS, maxMs: 500, onError })
}
