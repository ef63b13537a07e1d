import { HookError } from '../src/client/errors/transport-errors.ts'
import type { ManualClock } from './manual-clock.ts'

/** What plugged in code does instead of its work. */
type Failure = (clock: ManualClock) => unknown

const fail = (thrown: unknown): never => {
  throw thrown
}

/** A store that is slow: it settles after two minutes, which is later than every limit but the deadline by default. */
export const late = (clock: ManualClock, settle: () => unknown) =>
  new Promise((resolve, reject) => {
    clock.setTimeout(() => Promise.resolve().then(settle).then(resolve, reject), 120_000)
  })

/** How code that a program plugs in can fail. */
export const FAILURES: Readonly<Record<string, Failure>> = {
  'throws an error': () => fail(new RangeError('the store is down')),
  'throws nothing': () => fail(undefined),
  'throws what has no text': () => fail(Object.create(null)),
  'rejects with an error': () => Promise.reject(new RangeError('the store is down')),
  'rejects with what has no text': () => Promise.reject(Object.create(null)),
  'rejects with an error of ours that lies': () =>
    Promise.reject(new HookError({ message: 'x', submission: 'accepted' })),
  'never settles': () => new Promise(() => {}),
  'settles late': (clock) => late(clock, () => undefined),
  'rejects late': (clock) => late(clock, () => fail(new Error('too late'))),
  'is a thenable that throws': () => Object.defineProperty({}, 'then', { get: () => fail(new Error('then')) }),
  'gives nothing': () => undefined,
  'gives null': () => null,
  'gives a number': () => 7,
  'gives a text': () => 'https://hooks.example.com',
  'gives an object': () => ({ status: 'succeeded', url: 7, ref: null }),
  'gives a function that throws': () => () => fail(new Error('stop')),
  'gives an object whose getters throw': () =>
    Object.defineProperties({}, { url: { get: () => fail(1) }, status: { get: () => fail(2) } }),
}
