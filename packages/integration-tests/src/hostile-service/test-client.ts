import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { expect } from 'vitest'

/** A key that would be found wherever it is printed. */
const API_KEY = 'sk_test_hostile_0123456789abcdef'

/** How long a client waits in a test where it waits in vain. */
export const SHORT_MS = 400

/** A client that does not wait between attempts. Where it waits in vain for a response, the test runner ends the test. */
export function createTestClient(baseUrl: string, options: ModelRunOptions = {}): ModelRun {
  const quick = { timeoutMs: 600_000, random: () => 0, polling: { initialIntervalMs: 1, maxIntervalMs: 5 } }
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
