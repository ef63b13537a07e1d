import { isForceRetryError } from 'ky'

/** ky wants to send again although our rules did not allow it: a hook of the caller forced it. */
export class ForcedRetry extends Error {}

/** True when a hook of the caller asked to send again, and we or ky, at its limit, rejected that. */
export function isForcedRetry(error: unknown): boolean {
  return error instanceof ForcedRetry || isForceRetryError(error)
}
