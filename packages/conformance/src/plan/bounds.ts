/**
 * Whether a bound and the integers beside it are different numbers: a double rounds the bounds of 64-bit integers, so that the
 * bound itself may be outside, and one more may be the same number.
 */
export function isExact(bound: unknown): bound is number {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
}

/** A number that is certainly outside of a bound; not finite where a double holds none. */
export function beyond(bound: number, direction: 1 | -1): number {
  if (isExact(bound)) return bound + direction
  return Math.sign(bound) === direction ? bound * 2 : 0
}
