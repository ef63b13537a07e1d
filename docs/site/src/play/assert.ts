// The part of `node:assert/strict` that examples use.

const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

function check(isTrue: boolean, text: string): asserts isTrue {
  if (!isTrue) throw new Error(text)
}

export const ok = (value: unknown) => check(Boolean(value), `${value} is not true.`)
export const equal = (actual: unknown, expected: unknown) =>
  check(Object.is(actual, expected), `${actual} is not ${expected}.`)
export const deepEqual = (actual: unknown, expected: unknown) =>
  check(same(actual, expected), `${JSON.stringify(actual)} is not ${JSON.stringify(expected)}.`)
export const match = (text: string, pattern: RegExp) => check(pattern.test(text), `${text} does not match ${pattern}.`)

export async function rejects(promise: Promise<unknown>, expected: object | RegExp = {}): Promise<void> {
  const outcome: { error: unknown } | undefined = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  check(outcome !== undefined, 'The promise is not rejected.')
  const { error } = outcome
  if (expected instanceof RegExp) return match(String(error), expected)
  for (const [name, value] of Object.entries(expected)) {
    check(same(Reflect.get(error as object, name), value), `The error has not the ${name} ${value}: ${error}`)
  }
}

export default { ok, equal, strictEqual: equal, deepEqual, match, rejects }
