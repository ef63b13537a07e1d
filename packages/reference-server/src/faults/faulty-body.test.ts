import { describe, expect, it, vi } from 'vitest'
import { Activity } from '../clock/activity.ts'
import { Pauses } from '../clock/clock.ts'
import { createManualClock } from '../clock/create-clock.ts'
import { cutBody, slowBody } from './network-errors.ts'

const bytes = new TextEncoder().encode('0123456789')

function setUp() {
  const clock = createManualClock(0, new Activity())
  const taken = vi.spyOn(clock, 'clearTimeout')
  return { taken, pauses: new Pauses(clock), client: new AbortController() }
}

describe('cutBody', () => {
  it.each([0, 4])('gives %i bytes and then fails as a connection that ends', async (length) => {
    const reader = cutBody(bytes.subarray(0, length)).getReader()
    if (length > 0) expect((await reader.read()).value).toEqual(bytes.subarray(0, length))
    await expect(reader.read()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } })
  })
})

describe('slowBody', () => {
  it.each([
    ['the client has gone', 'enough'],
    ['the server closes', 'terminated'],
  ])('fails and leaves no timer when %s', async (end, message) => {
    const { taken, pauses, client } = setUp()
    const reader = slowBody(bytes, { delayMs: 1_000, pauses, signal: client.signal }).getReader()
    if (message === 'enough') client.abort(new Error('enough'))
    else pauses.close()
    await expect(reader.read(), end).rejects.toThrow(message)
    expect(taken).toHaveBeenCalledOnce()
  })

  it('stops waiting when the reader stops', async () => {
    const { taken, pauses, client } = setUp()
    await slowBody(bytes, { delayMs: 1_000, pauses, signal: client.signal }).cancel()
    expect(taken).toHaveBeenCalledOnce()
  })
})
