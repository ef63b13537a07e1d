import { LIMITS } from '@modelrun/contract'
import { type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { jobOf, type RunCall, type World } from './world.ts'

// How long runs take to be responded to (sections 1, 3, 4.3 and 8).

/** "About 55 s" with room for a service that counts from another moment. */
export const SHORTEST_HOLD_MS = LIMITS.syncWaitMs - 10_000
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 10_000
/** "At once", for a service on the other side of the world. */
const AT_ONCE_MS = 10_000

/** A synchronous run completes, or continues after the hold. */
export function isWaitedFor(run: RunCall, world: World): Finding {
  const { response, says } = run
  if (hasFailedJob(run, world)) return skip('the provider failed', run)
  const detail = `a run that waits got status ${response.status}, /status ${show(says)}, after ${took(response)}`
  if (response.status === 202 && says === 'processing') return isHeldAsLong(run, world)
  const isInTime = response.durationMs <= LONGEST_HOLD_MS + latencyMs(world)
  return judge(response.status === 200 && says === 'completed' && isInTime, detail, run)
}

/** A run that was promoted is held for as long as it may, whatever becomes of its job. */
export function isHeldAsLong(run: RunCall, world: World): Finding {
  const { response } = run
  if (hasFailedJob(run, world)) return skip('the provider failed', run)
  const isRight = response.durationMs >= SHORTEST_HOLD_MS && response.durationMs <= LONGEST_HOLD_MS + latencyMs(world)
  return judge(isRight, `held for ${took(response)}; expected about ${LIMITS.syncWaitMs} ms`, response)
}

export function isAtOnce({ response }: RunCall, world: World): Finding {
  return judge(response.durationMs < AT_ONCE_MS + latencyMs(world), `a response after ${took(response)}`, response)
}

/** What a synchronous run is responded with that fails is open. */
function hasFailedJob(run: RunCall, world: World): boolean {
  const { end, outcome, reads = [] } = jobOf(run, world) ?? {}
  // A job that had failed may read cancelled after a late cancel.
  const mayHaveFailed = outcome === 'cancelled' && reads[0] === end
  return run.shouldFail || hasFailed(run) || outcome === 'failed' || mayHaveFailed
}

/** What half of the reads take at most: a slow network, or a slow service. */
function latencyMs({ calls }: World): number {
  const times = calls.filter(({ method }) => method === 'GET').map(({ response }) => response.durationMs)
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}

export const took = ({ durationMs }: ApiResponse) => `${Math.round(durationMs)} ms`

export function hasFailed({ response, says }: RunCall): boolean {
  return says === 'failed' || at(response.json, '/error/code') !== undefined
}
