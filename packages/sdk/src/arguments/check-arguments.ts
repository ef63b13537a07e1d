import { isList, isText, needs } from './checks.ts'
import { type Check, checkEach } from './read-options.ts'

/** What the arguments of calls are checked with, by their names. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  // Not a string: its letters would count.
  const list = needs('a list, like [one, two]', isList)
  return { model: id, id, inputs: list, jobs: list } satisfies Record<string, Check>
})()

/** Checks the arguments of a call but for its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  checkEach(place, given, ARGUMENTS)
}
