import { ModelRunError } from '@modelrun/kit'

/**
 * Values that a program without types may pass by mistake. Created for each call, because some can be used only once.
 */
export function wrongValues(): [name: string, value: unknown][] {
  const failing = () => {
    throw new RangeError('a trap of the user')
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  return [
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['0', 0],
    ['-1', -1],
    ['NaN', Number.NaN],
    ['a bigint', 10n],
    ["''", ''],
    ["'x'", 'x'],
    ['a symbol', Symbol('x')],
    ['[]', []],
    ['[null]', [null]],
    ['{}', {}],
    ['an object without prototype', Object.assign(Object.create(null), { x: 1 })],
    ['a function', () => {}],
    ['a class', class {}],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a URL', new URL('https://example.com')],
    ['bytes', new Uint8Array(3)],
    ['a Promise', Promise.resolve()],
    ['an Error', new Error('x')],
    ['an AbortController', new AbortController()],
    ['an object that holds itself', circle()],
    ['a getter that fails', Object.defineProperty({}, 'signal', { get: failing, enumerable: true })],
    ['a proxy', new Proxy({}, {})],
    ['a proxy that fails', new Proxy({}, { get: failing, has: failing, ownKeys: failing })],
    ['a proxy that was revoked', revoked.proxy],
  ]
}

function circle(): object {
  const circle = { in: {} }
  circle.in = circle
  return circle
}

/** Arguments that are right, and objects with the names of the members of those that are options. */
export interface RightCall {
  right: readonly unknown[]
  members?: Record<number, object>
}

/** Each wrong value in the place of each argument, and of each of its members: the arguments of one call each. */
export function wrongCalls({ right, members = {} }: RightCall): [what: string, args: unknown[]][] {
  return right.flatMap((argument, place) =>
    wrongValues().flatMap(([what, value]) => [
      [`argument ${place} is ${what}`, right.with(place, value)] satisfies [string, unknown[]],
      ...Object.keys(members[place] ?? {}).map((name): [string, unknown[]] => [
        `\`${name}\` of argument ${place} is ${what}`,
        right.with(place, { ...Object(argument), [name]: value }),
      ]),
    ]),
  )
}

/** Messages of JavaScript engines, which do not name the wrong argument. */
const ENGINE_TEXT =
  /is not a function|not iterable|Cannot |undefined \(|is not defined|Invalid URL|must be of type|Illegal invocation|Converting|revoked|BigInt value|ERR_|trap of the user/

/** Why an error is not good enough for a user; undefined for an error of this package with a message of its own. */
export function problemOfError(error: unknown): string | undefined {
  if (!(error instanceof ModelRunError)) return `not a ModelRunError: ${String(error)}`
  const isSentence = /\.$/.test(error.message) && !ENGINE_TEXT.test(error.message)
  return isSentence ? undefined : `not a sentence of ours: ${error.message}`
}

/** The outcome of a call: its value, or what it threw, rejected with, or yielded as a reason. */
export async function outcomeOf(call: () => unknown): Promise<{ value: unknown } | { error: unknown }> {
  try {
    const value: unknown = await call()
    if (!isIterator(value)) return { value }
    const step = await value.next()
    await value.return?.()
    const reason: unknown = Object(step.value).reason
    return reason === undefined ? { value: step.value } : { error: reason }
  } catch (error) {
    return { error }
  }
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'
}
