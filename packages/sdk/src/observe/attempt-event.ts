import { nodeBuiltin } from '../node-builtin.ts'
import type { Log } from './logger.ts'

/** One HTTP attempt, for logs and diagnostics. Holds no header and no body. */
export interface AttemptEvent {
  /** HTTP method. */
  method: string
  /** Path of the request, without query. */
  path: string
  /** 1 for the first attempt of a call. */
  attempt: number
  /** HTTP status, when there was a response. */
  status?: number | undefined
  /** Why the attempt did not succeed; undefined when it did. */
  reason?: string | undefined
  /** Milliseconds from the start of the request until it succeeded or failed. */
  durationMs: number
  /** The service's id of the request. */
  requestId?: string | undefined
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs?: number | undefined
}

/** Name of Node's diagnostics channel that gets an {@link AttemptEvent} for each HTTP attempt. */
export const ATTEMPT_CHANNEL = 'modelrun:attempt'

/** Reports attempts to the log and to Node's diagnostics channel. Costs next to nothing without a listener. */
export function createAttemptObserver(log: Log): (event: AttemptEvent) => void {
  const channel = nodeBuiltin('node:diagnostics_channel')?.channel(ATTEMPT_CHANNEL)
  return (event) => {
    const level = event.delayMs === undefined ? 'debug' : 'info'
    if (log.isOn(level)) log[level](describeAttempt(event))
    if (channel?.hasSubscribers) channel.publish(event)
  }
}

function describeAttempt({
  method,
  path,
  attempt,
  status,
  reason,
  durationMs,
  requestId,
  delayMs,
}: AttemptEvent): string {
  const outcome = reason === undefined ? `HTTP ${status}` : reason
  const request = requestId === undefined ? '' : `, request ${requestId}`
  const next = delayMs === undefined ? '' : `, again in ${Math.round(delayMs)} ms`
  return `${method} ${path}: ${outcome} in ${Math.round(durationMs)} ms (attempt ${attempt}${request}${next})`
}
