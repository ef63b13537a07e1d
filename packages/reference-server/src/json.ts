import { ConfigurationError } from '@modelrun/kit'
/**
 * So many levels of objects and arrays a body may have. `JSON.parse` takes any number, `JSON.stringify` and other functions
 * that call themselves overflow the stack at some thousand, so what is deeper is rejected where it comes in.
 */
export const MAX_NESTING = 64

/** Whether a value has more levels of objects and arrays than that: `{}` has one. A cycle has. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(levels - 1, member))
}

/** What is wrong with it, as the rest of a sentence. */
export function nestingProblem(levels = MAX_NESTING): string {
  return `nests deeper than ${levels} levels of objects and arrays, the most that is read`
}

/**
 * A copy of a value as JSON carries it: what a test passes in may not be JSON, and may change later.
 *
 * @param levels so many levels of objects and arrays it may have
 * @throws ConfigurationError for a cycle and for a deeper value
 */
export function jsonCopy(value: unknown, levels = MAX_NESTING): unknown {
  if (nestsDeeperThan(levels, value)) throw new ConfigurationError({ message: `The value ${nestingProblem(levels)}.` })
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
