import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { expect } from 'vitest'

/** A key that would be found wherever it is printed. */
const API_KEY = 'sk_test_hostile_0123456789abcdef'

/** Longer waits are limits: of an attempt, or of a call that is to end by its deadline. */
const LONGEST_PAUSE_MS = 10_000
const LONGEST_LIMIT_MS = 200_000

/** A time that passes at once in pauses of a client, and is paused while the client waits for a response. */
export interface TestClock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
  /** The client waits in vain: its next limit passes, as soon as there is one. */
  leap(): void
}

export function createTestClock(): TestClock {
  const timers = new Map<symbol, { at: number; ms: number; run(): void }>()
  let now = Date.now()
  let isStalled = false
  const passUntil = (end: number) => {
    now = Math.max(now, end)
    const due = [...timers].filter(([, { at }]) => at <= now).toSorted(([, one], [, other]) => one.at - other.at)
    for (const [id, { run }] of due) if (timers.delete(id)) run()
  }
  const passLimit = () => {
    const limits = [...timers.values()].filter(({ ms }) => ms > LONGEST_PAUSE_MS && ms <= LONGEST_LIMIT_MS)
    if (!isStalled || limits.length === 0) return
    isStalled = false
    passUntil(Math.min(...limits.map(({ at }) => at)))
  }
  return {
    now: () => now,
    setTimeout: (run, ms) => {
      const id = Symbol(ms)
      const at = now + ms
      timers.set(id, { at, ms, run })
      setImmediate(() => (ms <= LONGEST_PAUSE_MS ? timers.has(id) && passUntil(at) : passLimit()))
      return id
    },
    clearTimeout: (id) => void timers.delete(id as symbol), // of `setTimeout`
    leap: () => {
      isStalled = true
      passLimit()
    },
  }
}

/** A client that does not wait between attempts. Where it waits in vain for a response, the test runner ends the test. */
export function createTestClient(baseUrl: string, options: ModelRunOptions = {}): ModelRun {
  const quick = { timeoutMs: 150_000, random: () => 0, polling: { initialIntervalMs: 1, maxIntervalMs: 5 } }
  return new ModelRun({ apiKey: API_KEY, baseUrl, logLevel: 'off', ...quick, ...options })
}

/** The outcome of a call. */
export interface Outcome {
  /** The value, or the error. */
  settled: unknown
  /** `success`, or the name of the error. */
  name: string
}

/** Makes a call with a signal; expects that it leaves no listener on it and prints the API key nowhere. */
export async function observe(call: (signal: AbortSignal) => PromiseLike<unknown>): Promise<Outcome> {
  const { signal } = new AbortController()
  const outcome = await call(signal).then(
    (settled) => ({ settled, name: 'success' }),
    (settled: unknown) => ({ settled, name: settled instanceof Error ? settled.name : typeof settled }),
  )
  // The read of a price ends a moment after its run.
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
  expectNoKey(outcome.settled)
  return outcome
}

/** Looks for the API key in everything that a program could print of a value. */
export function expectNoKey(value: unknown): void {
  const forms = [String(value), JSON.stringify(value), inspect(value, { depth: 10, showHidden: true })]
  expect(forms.join('\n')).not.toContain(API_KEY)
}
