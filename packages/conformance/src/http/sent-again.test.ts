import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import type { ApiResponse, Call } from './caller.ts'
import { sendingAgain } from './sent-again.ts'

const CALL: Call = { method: 'POST', path: '/v1/models/a/run', authorization: undefined }

/** Sends one call to a service that responds with these, the last one for ever. */
async function sentTo(
  responses: readonly { status: number; headers?: Record<string, string> }[],
  method: Call['method'] = 'POST',
) {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const sentAfterMs: number[] = []
  const send = async () => {
    const { status, headers } = responses[Math.min(sentAfterMs.length, responses.length - 1)] ?? { status: 500 }
    sentAfterMs.push(clock.now() - startedAt)
    // The only members that are read.
    return { status, headers: new Headers(headers) } as ApiResponse
  }
  const { status } = await sendingAgain(send, clock)({ ...CALL, method })
  return { status, sentAfterMs }
}

const limited = (retryAfter?: string, date?: string) => ({
  status: 429,
  headers: {
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    ...(date === undefined ? {} : { date }),
  },
})

describe('a request that is rejected with 429', () => {
  it('is sent again after the seconds of Retry-After', async () => {
    expect(await sentTo([limited('7'), { status: 202 }])).toEqual({ status: 202, sentAfterMs: [0, 7_000] })
  })

  it('is sent again at the date of Retry-After, by the clock of the service where the response shows it', async () => {
    const date = 'Thu, 01 Jan 2026 00:00:09 GMT'
    expect((await sentTo([limited(date), { status: 200 }])).sentAfterMs).toEqual([0, 9_000])
    const ownDate = 'Thu, 01 Jan 2026 00:00:05 GMT'
    expect((await sentTo([limited(date, ownDate), { status: 200 }])).sentAfterMs).toEqual([0, 4_000])
  })

  it('is sent again after a time of its own where the service names none, and not for ever', async () => {
    expect(await sentTo([limited()])).toEqual({
      status: 429,
      sentAfterMs: [0, 1_000, 3_000, 7_000, 15_000, 31_000],
    })
  })

  it('is not sent again where the service asks for more than two minutes', async () => {
    expect((await sentTo([limited('3600'), { status: 200 }])).sentAfterMs).toEqual([0])
  })
})

it('a read that failed is sent again twice', async () => {
  const sentAfterMs = [0, 1_000, 5_000]
  expect(await sentTo([{ status: 500 }, { status: 503 }, { status: 200 }], 'GET')).toEqual({ status: 200, sentAfterMs })
  expect(await sentTo([{ status: 500 }], 'GET')).toEqual({ status: 500, sentAfterMs })
})

it('no other response makes a request go out twice', async () => {
  for (const status of [200, 401, 500, 503]) {
    expect(await sentTo([{ status, headers: { 'retry-after': '1' } }])).toMatchObject({ status, sentAfterMs: [0] })
  }
})
