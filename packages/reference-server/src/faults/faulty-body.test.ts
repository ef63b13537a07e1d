import { describe, expect, it } from 'vitest'
import { Pauses } from '../clock/clock.ts'
import { cutBody, slowBody } from './network-errors.ts'

const bytes = new TextEncoder().encode('0123456789')

/** Pauses on a clock that only counts its timers. */
function setUp() {
  const timers = new Map<unknown, () => void>()
  let lastHandle = 0
  const clock = {
    mode: 'manual' as const,
    now: () => 0,
    setTimeout: (callback: () => void) => {
      timers.set(++lastHandle, callback)
      return lastHandle
    },
    clearTimeout: (handle: unknown) => void timers.delete(handle),
    advance: async () => {},
  }
  return { timers, pauses: new Pauses(clock), client: new AbortController() }
}

describe('cutBody', () => {
  it.each([0, 4])('gives %i bytes and then fails as a connection that ends', async (length) => {
    const reader = cutBody(bytes.subarray(0, length)).getReader()
    if (length > 0) expect((await reader.read()).value).toEqual(bytes.subarray(0, length))
    await expect(reader.read()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } })
  })
})

describe('slowBody', () => {
  it('stops waiting when the reader stops', async () => {
    const { timers, pauses, client } = setUp()
    const body = slowBody(bytes, { delayMs: 1_000, pauses, signal: client.signal })
    expect(timers.size).toBe(1)
    await body.cancel()
    expect(timers.size).toBe(0)
  })

  it('fails with the reason of a client that has gone', async () => {
    const { timers, pauses, client } = setUp()
    const reader = slowBody(bytes, { delayMs: 1_000, pauses, signal: client.signal }).getReader()
    client.abort(new Error('enough'))
    await expect(reader.read()).rejects.toThrow('enough')
    expect(timers.size).toBe(0)
  })

  it('fails as a connection that ends when the server closes', async () => {
    const { pauses, client } = setUp()
    const reader = slowBody(bytes, { delayMs: 1_000, pauses, signal: client.signal }).getReader()
    pauses.close()
    await expect(reader.read()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } })
  })
})
