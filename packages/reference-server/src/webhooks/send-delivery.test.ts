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

  it.each([200, 201, 202, 204, 299])('counts %i as delivered (section 6, rule 1)', async (status) => {
    const { outcome } = send(async () => new Response(null, { status }))
    expect(await outcome).toEqual({ outcome: 'delivered', status })
  })

  it.each([301, 302, 304, 307, 400, 401, 404, 410, 429, 500, 503])(
    'counts %i as rejected (section 6)',
    async (status) => {
      const { outcome } = send(async () => new Response(null, { status }))
      expect(await outcome).toEqual({ outcome: 'rejected', status })
    },
  )

  it('does not wait for a receiver that ignores the abort', async () => {
    const { clock, outcome } = send(() => new Promise(() => {}))
    await clock.advance(10_000)
    expect(await outcome).toEqual({ outcome: 'timeout' })
  })

  it('reports what went wrong on the network, with its cause', async () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:1')
    const { outcome } = send(async () => {
      throw new TypeError('fetch failed', { cause })
    })
    expect(await outcome).toEqual({
      outcome: 'network_error',
      reason: 'fetch failed: connect ECONNREFUSED 127.0.0.1:1',
    })
    const thrown = send(() => {
      throw 'a string'
    })
    expect(await thrown.outcome).toEqual({ outcome: 'network_error', reason: 'a string' })
  })

  it('reads an error of another realm too, such as those of Node under Jest', async () => {
    const { outcome } = send(async () => {
      throw runInNewContext(`new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })`)
    })
    expect(await outcome).toEqual({ outcome: 'network_error', reason: 'fetch failed: read ECONNRESET' })
  })

  it('leaves the body of the response unread', async () => {
    const cancel = vi.fn()
    const { outcome } = send(async () => new Response(new ReadableStream({ cancel })))
    await outcome
    expect(cancel).toHaveBeenCalledOnce()
  })
})
