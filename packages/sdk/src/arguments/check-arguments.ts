import { isList, isText, needs, parameters } from './checks.ts'
import { type Check, checkEach, isPlainData, readArguments } from './read-options.ts'

/** What the arguments of calls are checked with, by their names. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  // Not a string: its letters would count.
  const list = needs('a list, like [one, two]', isList)
  return {
    model: id,
    job: id,
    inputs: list,
    jobs: list,
    input: parameters,
    folder: needs('a path', isText),
    item: needs('an item of an output, or its address', (value) => isText(value) || isText(member(value, 'url'))),
    produced: needs(
      'an object with `job_id` and `output.items`',
      (value) => isText(member(value, 'job_id')) && Array.isArray(member(member(value, 'output'), 'items')),
    ),
  } satisfies Record<string, Check>
})()

/** Checks the arguments of a call but for its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  checkEach(place, given, ARGUMENTS)
}

/**
 * The input of a run. A copy, because an exact input type may be an interface, which has no index signature.
 *
 * @throws ConfigurationError
 */
export function readInput(place: string, input: object): Record<string, unknown> {
  checkArguments(place, { input })
  return readArguments(place, () => ({ ...input }))
}

function member(value: unknown, name: string): unknown {
  return isPlainData(value) ? Reflect.get(value, name) : undefined
}
