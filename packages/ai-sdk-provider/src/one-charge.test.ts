import { APICallError, RetryError } from 'ai'
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../test/faults.ts'
import { KINDS, setup, shortenWaits, texts, untilCharged } from '../test/harness.ts'

/** The last error behind the retries of the AI SDK. */
function lastError(error: unknown): unknown {
  return RetryError.isInstance(error) ? error.lastError : error
}

describe.each(Object.entries(KINDS))('one call for %s, with the retries of the AI SDK', (_kind, { call, price }) => {
  it.each(FAULTS)('%s: %j: %s', async (_name, fault, costs) => {
    shortenWaits()
    const one = setup()
    one.server.faults.add(fault)
    const [outcome] = await Promise.allSettled([call(one)])
    await untilCharged(one)
    const error = outcome?.status === 'rejected' ? lastError(outcome.reason) : undefined
    expect(`${one.posts()} POST, ${one.charged() / price} charge, ${error ? 'error' : 'ok'}`).toBe(costs)
    if (error !== undefined) expect(APICallError.isInstance(error)).toBe(true)
    expect(texts(error)).not.toContain(one.server.clientOptions().apiKey)
  })
})
