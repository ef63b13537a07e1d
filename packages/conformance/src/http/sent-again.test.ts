import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import type { ApiResponse, Call } from './caller.ts'
import { type Recovered, readingAgain, waitingWhenLimited } from './sent-again.ts'

const CALL: Call = { method: 'POST', path: '/v1/models/a/run', authorization: undefined }

/** Sends one call to a service that responds with these, the last one for ever. */
async function sentTo(
  responses: readonly { status: number; headers?: Record<string, string> }[],
  { isOther = (): boolean => false, method = 'POST' as Call['method'] } = {},
) {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const sentAfterMs: number[] = []
  const limited: ApiResponse[] = []
  const recovered: Recovered[] = []
  const send = async () => {
    const { status, headers } = responses[Math.min(sentAfterMs.length, responses.length - 1)] ?? { status: 500 }
    sentAfterMs.push(clock.now() - startedAt)
    // The only members that are read.
    return { status, headers: new Headers(headers) } as ApiResponse
  }
  const { status } = await readingAgain(
    waitingWhenLimited(send, { clock, limited, isOther }),
    clock,
    recovered,
  )({ ...CALL, method })
  return { status, sentAfterMs, limited: limited.length, ...(method === 'GET' ? { recovered: recovered.length } : {}) }
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
    expect(await sentTo([limited('7'), { status: 202 }])).toEqual({ status: 202, sentAfterMs: [0, 7_000], limited: 1 })
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
      limited: 6,
    })
  })

  it('is not taken for a rate limit where it stays and may mean something else', async () => {
    expect(await sentTo([limited()], { isOther: () => true })).toMatchObject({ status: 429, limited: 0 })
    expect(await sentTo([limited(), { status: 200 }], { isOther: () => true })).toMatchObject({
      status: 200,
      limited: 1,
    })
    expect(await sentTo([limited('3600')], { isOther: () => true })).toMatchObject({ status: 429, limited: 1 })
  })

  it('is not sent again where the service asks for more than two minutes', async () => {
    expect((await sentTo([limited('3600'), { status: 200 }])).sentAfterMs).toEqual([0])
  })
})

describe('a read that failed', () => {
  const method = 'GET'

  it('is sent again twice, and is known where that helped', async () => {
    const served = { status: 200, sentAfterMs: [0, 1_000, 5_000], limited: 0, recovered: 2 }
    expect(await sentTo([{ status: 500 }, { status: 503 }, { status: 200 }], { method })).toEqual(served)
    expect(await sentTo([{ status: 500 }], { method })).toEqual({ ...served, status: 500, recovered: 0 })
  })
})

it('no other response makes a request go out twice', async () => {
  for (const status of [200, 401, 500, 503]) {
    expect(await sentTo([{ status, headers: { 'retry-after': '1' } }])).toMatchObject({ status, sentAfterMs: [0] })
  }
})
