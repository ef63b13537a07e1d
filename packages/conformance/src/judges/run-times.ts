import { LIMITS } from '@modelrun/contract'
import { type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { jobStatus } from '../session/actions.ts'
import { jobOf, type RunCall, type World } from './world.ts'

// How long runs take to be responded to (sections 1, 3, 4.3 and 8).

/** "About 55 s" with room for a service that counts from another moment. */
const SHORTEST_HOLD_MS = LIMITS.syncWaitMs - 10_000
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 10_000
/** "At once", for a service on the other side of the world. */
const AT_ONCE_MS = 10_000
/** The same for all runs of a kind, beside what the service takes for a read. */
const ALWAYS_AT_ONCE_MS = 3_000

/** A synchronous run completes, or is held as long as it may. */
export function isWaitedFor(run: RunCall, world: World): Finding {
  const { response } = run
  if (hasFailedJob(run, world)) return skip('the provider failed', response)
  const status = at(response.json, '/status')
  const isHeld = response.status === 202 && status === 'processing'
  const isRight =
    isHeld || (response.status === 200 && status === 'completed' && response.durationMs <= longestHoldMs(world))
  if (!isRight || !isHeld) return judge(isRight, `${shown(response)} after ${took(response)}`, response)
  return response.durationMs >= SHORTEST_HOLD_MS
    ? pass(`held for ${took(response)}`, response)
    : judge(false, `${shown(response)} after ${took(response)}; it should have waited`, response)
}

/** What a synchronous run is responded with that fails is open. */
function hasFailedJob(run: RunCall, world: World): boolean {
  const { end, reads = [] } = jobOf(run, world) ?? {}
  const status = end && jobStatus(end)
  // A job that had failed may read cancelled after a late cancel.
  const mayHaveFailed = status === 'cancelled' && reads[0] === end
  return run.shouldFail || hasFailed(run.response) || status === 'failed' || mayHaveFailed
}

/** What half of the reads take at most: a slow network, or a slow service. */
function latencyMs({ reads }: World): number {
  const times = reads.flatMap(({ calls }) => calls.map(({ response }) => response.durationMs))
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}

function longestHoldMs(world: World): number {
  return LONGEST_HOLD_MS + latencyMs(world)
}

/** Judges each run alone, and those of a kind together: one may meet a slow moment, but not all of a model or a mode. */
export function returnAtOnce(runs: readonly RunCall[], world: World): Finding {
  const slowest = runs.toSorted((one, other) => other.response.durationMs - one.response.durationMs)[0]?.response
  if (slowest !== undefined && slowest.durationMs >= AT_ONCE_MS)
    return fail(`a response after ${took(slowest)}`, slowest)
  const limitMs = latencyMs(world) + ALWAYS_AT_ONCE_MS
  for (const kind of new Set(runs.flatMap(kindsOf))) {
    const same = runs.filter((run) => kindsOf(run).includes(kind)).map(({ response }) => response)
    const isLate = same.length > 1 && same.every(({ durationMs }) => durationMs >= limitMs)
    if (isLate) return fail(`each of ${same.length} runs of ${kind} took more than ${Math.round(limitMs)} ms`, same)
  }
  return pass(
    `${runs.length} responses at once`,
    runs.map(({ response }) => response),
  )
}

function kindsOf({ id, sync, hasWebhook }: RunCall): string[] {
  const mode = `sync ${sync ?? 'unsaid'}, ${hasWebhook ? 'with' : 'without'} webhook_url`
  return [id, mode, `${id}, ${mode}`]
}

function shown(response: ApiResponse): string {
  return `status ${response.status}, /status ${show(at(response.json, '/status'))}`
}

export function took({ durationMs }: ApiResponse): string {
  return `${Math.round(durationMs)} ms`
}

export function hasFailed({ json }: ApiResponse): boolean {
  return at(json, '/status') === 'failed' || at(json, '/error/code') !== undefined
}

/** A run that was promoted is held for as long as it may, whatever becomes of its job. */
export function isHeldAsLong(run: RunCall, world: World): Finding {
  const { response } = run
  if (hasFailedJob(run, world)) return skip('the provider failed', response)
  const isRight = response.durationMs >= SHORTEST_HOLD_MS && response.durationMs <= longestHoldMs(world)
  return judge(isRight, `held for ${took(response)}; expected about ${LIMITS.syncWaitMs} ms`, response)
}
