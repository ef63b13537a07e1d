import { MAX_NESTING, nestingProblem, nestsDeeperThan } from './json-nesting.ts'

/**
 * A copy of a value as JSON carries it: what a test passes in may not be JSON, and may change later.
 *
 * @param levels so many levels of objects and arrays it may have
 * @throws TypeError for what JSON cannot carry, such as a cycle, and for a deeper value
 */
export function jsonCopy(value: unknown, levels = MAX_NESTING): unknown {
  if (nestsDeeperThan(levels, value)) throw new TypeError(`The value ${nestingProblem(levels)}.`)
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
