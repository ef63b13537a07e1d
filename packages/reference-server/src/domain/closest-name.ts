import { NameIndex } from './name-index.ts'

/**
 * Finds the name that was probably meant among a few: see `NameIndex`.
 *
 * @returns the closest of `known`, or `undefined` when none is close
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  return new NameIndex(known).closest(name)
}
