import { LATEST_TIME_MS } from './clock.ts'

/** Checks the argument of `clock.advance`. */
export function checkAdvance(now: number, ms: number): void {
  if (typeof ms === 'number' && ms >= 0 && now + ms <= LATEST_TIME_MS) return
  throw new TypeError(`clock.advance takes milliseconds, 0 or more, that end in a possible date; it got ${String(ms)}.`)
}
