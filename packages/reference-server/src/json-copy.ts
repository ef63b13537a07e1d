/**
 * A copy of a value as JSON carries it: what a test passes in may not be JSON, and may change later.
 *
 * @throws TypeError for what JSON cannot carry, such as a cycle
 */
export function jsonCopy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
