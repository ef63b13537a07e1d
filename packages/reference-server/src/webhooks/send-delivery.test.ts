import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { Activity } from '../clock/activity.ts'
import { createManualClock } from '../clock/create-clock.ts'
import { type Send, sendDelivery } from './send-delivery.ts'

function send(deliver: Send, isShown = false) {
  const clock = createManualClock(0, new Activity())
  const clearTimeout = vi.spyOn(clock, 'clearTimeout')
  const abort = new AbortController()
  const outcome = sendDelivery({
    deliver,
    clock,
    url: 'https://receiver.test/',
    body: `{"job_id":"job_1"}`,
    abort,
    isShown,
  })
  return { clock, outcome, clearTimeout, abort }
}

describe('send delivery', () => {
  it('posts JSON and follows no redirect (section 6)', async () => {
    const deliver = vi.fn<Send>(async () => new Response(null, { status: 204 }))
    const { outcome, clearTimeout } = send(deliver)
    expect(await outcome).toEqual({ outcome: 'delivered', status: 204 })
    expect(deliver).toHaveBeenCalledExactlyOnceWith('https://receiver.test/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"job_id":"job_1"}',
      redirect: 'manual',
      signal: expect.any(AbortSignal),
    })
    expect(clearTimeout).toHaveBeenCalledOnce()
  })

  it.each([
    ['delivered', [200, 201, 202, 299]],
    ['rejected', [301, 304, 307, 400, 401, 404, 429, 500, 503]],
  ])('counts as %s the statuses %j (section 6, rule 1)', async (outcome, statuses) => {
    for (const status of statuses) {
      expect(await send(async () => new Response(null, { status })).outcome).toEqual({ outcome, status })
    }
  })

  it('does not wait for a receiver that ignores the abort', async () => {
    const { clock, outcome } = send(() => new Promise(() => {}))
    await clock.advance(10_000)
    expect(await outcome).toEqual({ outcome: 'timeout' })
  })

  it.each([
    [new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }), 'fetch failed: connect ECONNREFUSED'],
    ['a string', 'a string'],
    // An error of another realm, such as those of Node under Jest.
    [runInNewContext(`new TypeError('fetch failed', { cause: new Error('reset') })`), 'fetch failed: reset'],
  ])('reports what went wrong on the network, with its cause: %s', async (thrown, reason) => {
    const rejected = send(() => Promise.reject(thrown))
    const threw = send(() => {
      throw thrown
    })
    expect(await rejected.outcome).toEqual({ outcome: 'network_error', reason })
    expect(await threw.outcome).toEqual({ outcome: 'network_error', reason })
  })

  it('leaves the body of the response unread', async () => {
    const cancel = vi.fn()
    const { outcome } = send(async () => new Response(new ReadableStream({ cancel })))
    await outcome
    expect(cancel).toHaveBeenCalledOnce()
  })
})
