import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import type { ApiResponse, Call } from './caller.ts'
import { sendingAgain } from './sent-again.ts'

const CALL: Call = { method: 'POST', path: '/v1/models/a/run', authorization: undefined }

/** Sends one call to a service that responds with these, the last one for ever. */
async function sentTo(
  responses: readonly { status: number; headers?: Record<string, string> }[], // 0: none
  method: Call['method'] = 'POST',
) {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const sentAfterMs: number[] = []
  const send = async () => {
    const { status, headers } = responses[Math.min(sentAfterMs.length, responses.length - 1)] ?? { status: 500 }
    sentAfterMs.push(clock.now() - startedAt)
    // The only members that are read.
    return { status, headers: new Headers(headers), exchange: { request: {} } } as ApiResponse
  }
  const { status } = await sendingAgain(send, clock)({ ...CALL, method }).catch(() => ({ status: 0 }))
  return { status, sentAfterMs }
}

const limited = (headers: Record<string, string> = {}) => ({ status: 429, headers })
const AT_9 = { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }
const AT_5 = { date: 'Thu, 01 Jan 2026 00:00:05 GMT' }
const ok = { status: 200 }

it.each<[string, Parameters<typeof sentTo>, number[]]>([
  ['429: after the seconds of Retry-After', [[limited({ 'retry-after': '7' }), ok]], [0, 7_000]],
  ['429: at the date of Retry-After', [[limited(AT_9), ok]], [0, 9_000]],
  ['429: at that date by the clock of the service', [[limited({ ...AT_9, ...AT_5 }), ok]], [0, 4_000]],
  ['429: after own times, and not for ever', [[limited()]], [0, 2_000, 6_000, 14_000, 30_000, 62_000]],
  ['429: not where the service asks for more than two minutes', [[limited({ 'retry-after': '3600' }), ok]], [0]],
  ['a read that failed: twice', [[{ status: 500 }, { status: 503 }, ok], 'GET'], [0, 2_000, 6_000]],
  ['a read that fails for ever: twice', [[{ status: 500 }], 'GET'], [0, 2_000, 6_000]],
  ['a read whose connection breaks: twice', [[{ status: 500 }, { status: 0 }, ok], 'GET'], [0, 2_000, 6_000]],
  ['a read before any response: never', [[{ status: 0 }, ok], 'GET'], [0]],
  ...[0, 200, 401, 500, 503].map((status): [string, Parameters<typeof sentTo>, number[]] => [
    `a run that got ${status}: never`,
    [[{ status, headers: { 'retry-after': '1' } }, ok]],
    [0],
  ]),
])('sends again %s', async (_, call, times) => {
  const [responses] = call
  expect(await sentTo(...call)).toEqual({
    status: responses[Math.min(times.length, responses.length) - 1]?.status,
    sentAfterMs: times,
  })
})

it('sends once what follows on repeats that were in vain, until one succeeds', async () => {
  const clock = new VirtualClock()
  let status = 429
  const send = sendingAgain(async () => ({ status, headers: new Headers() }) as ApiResponse, clock)
  const tookMs = async () => {
    const startedAt = clock.now()
    await send(CALL)
    return clock.now() - startedAt
  }
  const times = [await tookMs(), await tookMs()]
  status = 200
  times.push(await tookMs())
  status = 429
  expect([...times, await tookMs()]).toEqual([62_000, 0, 0, 62_000])
})
