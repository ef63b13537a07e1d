import { describe, expect, it } from 'vitest'
import { apiCaller, openServer } from '../../test/api-caller.ts'

function setUp() {
  const { server, caller: api } = openServer({ clock: 'manual' })
  return { server, api, submit: () => api.run('aurora-image', { sync: false }) }
}

/** Whether a promise has settled by now. */
function watch(promise: Promise<unknown>): () => boolean {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  return () => isSettled
}

describe('a fault', () => {
  it('is applied to the requests of its route, `times` times', async () => {
    const { server, api, submit } = setUp()
    server.faults.add({ kind: 'server-error', route: 'getModel', times: 2 })
    const statuses = [
      await submit(),
      await api.get('/v1/models/aurora-image'),
      await api.get('/v1/models'),
      await api.get('/v1/models/pixelwright%2Fcutout'),
      await api.get('/v1/models/pixelwright/cutout'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([202, 500, 200, 500, 200])
  })

  it('is applied to what belongs to its model: runs, jobs and files', async () => {
    const { server, api, submit } = setUp()
    const mine = await submit()
    const others = await api.run('lumen/aurora-image-swift', { sync: false })
    server.faults.add({ kind: 'unavailable', model: 'aurora-image' })
    const statuses = [
      await submit(),
      await api.get(`/v1/jobs/${mine.body.job_id}`),
      await api.get(`/v1/jobs/${others.body.job_id}`),
      await api.get('/v1/models'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([503, 503, 200, 200])
  })

  it('leaves rejections of the key, and HEAD, as they are', async () => {
    const { server, api } = setUp()
    server.faults.add({ kind: 'server-error' })
    expect((await apiCaller(server, 'sk_test_wrong').get('/v1/models')).status).toBe(401)
    expect((await api.call('HEAD', '/v1/models')).status).toBe(200)
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('applied %s the work: %i jobs start', async (when, started) => {
    const { server, submit } = setUp()
    const credits = server.credits()
    server.faults.add({ kind: 'server-error', when })
    expect((await submit()).status).toBe(500)
    await server.clock.advance(600_000)
    expect(credits - server.credits()).toBe(started * 4)
  })
})

describe('the time of a fault', () => {
  it('passes on the clock of the server: late headers', async () => {
    const { server, submit } = setUp()
    server.faults.add({ kind: 'slow-headers', delay_ms: 3_000 })
    const credits = server.credits()
    const response = submit()
    const isSettled = watch(response)
    await server.clock.advance(2_999)
    expect([isSettled(), server.credits()]).toEqual([false, credits])
    await server.clock.advance(1)
    expect((await response).status).toBe(202)
  })

  it('passes on the clock of the server: a body in four parts', async () => {
    const { server } = setUp()
    server.faults.add({ kind: 'slow-body', delay_ms: 4_000 })
    const headers = { authorization: `Bearer ${server.apiKey}` }
    const response = await server.fetch('/v1/models/aurora-image', { headers })
    const length = Number(response.headers.get('content-length'))
    const reader = response.body?.getReader()
    const sizes: number[] = []
    for (let part = 1; part <= 4; part++) {
      await server.clock.advance(1_000)
      sizes.push((await reader?.read())?.value?.byteLength ?? 0)
    }
    expect(sizes.map((size) => Math.round((4 * size) / length))).toEqual([1, 1, 1, 1])
    expect(sizes.reduce((sum, size) => sum + size)).toBe(length)
    expect((await reader?.read())?.done).toBe(true)
    expect(server.requests()).toMatchObject([{ status: 200, fault: 'slow-body (fault_1)' }])
  })

  it('never ends for a hang, until the client goes or the server closes', async () => {
    const { server, api } = setUp()
    server.faults.add({ kind: 'hang' })
    const client = new AbortController()
    const left = api.call('GET', '/v1/models', { signal: client.signal })
    const stayed = api.get('/v1/models')
    const isSettled = watch(Promise.race([left, stayed]))
    await server.clock.advance(1e9)
    expect(isSettled()).toBe(false)
    client.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    await server.close()
    expect((await stayed).status).toBe(503)
  })

  it('does no work late for a client that has gone', async () => {
    const { server, api } = setUp()
    server.faults.add({ kind: 'slow-headers', delay_ms: 3_000, times: 1 })
    const credits = server.credits()
    const client = new AbortController()
    const left = api.run('aurora-image', { sync: false }, { signal: client.signal })
    await server.clock.advance(1_000)
    client.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    await server.clock.advance(600_000)
    expect(server.credits()).toBe(credits)
  })
})

describe('what a fault says', () => {
  it.each([
    [{ kind: 'rate-limit' }, 429, '1'],
    [{ kind: 'rate-limit', retry_after: 30 }, 429, '30'],
    [{ kind: 'rate-limit', retry_after: null }, 429, null],
    [{ kind: 'unavailable' }, 503, null],
    [{ kind: 'unavailable', retry_after: 2 }, 503, '2'],
  ] as const)('of %j is %i, with Retry-After %s', async (fault, status, retryAfter) => {
    const { server, api } = setUp()
    server.faults.add(fault)
    const response = await api.get('/v1/models')
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter])
  })

  it.each([
    [
      { status: 503, headers: { 'Retry-After': '5' }, body: '<h1>Guru</h1>' },
      [503, 'text/html; charset=utf-8', '<h1>Guru</h1>'],
    ],
    [{ status: 409, body: { error: { code: 'BUSY' } } }, [409, 'application/json', '{"error":{"code":"BUSY"}}']],
    [{ status: 402, body: 'null', headers: { 'content-type': 'text/plain' } }, [402, 'text/plain', 'null']],
    [{ status: 200, body: null }, [200, 'application/json', 'null']],
    [{ status: 204 }, [204, null, '']],
  ] as const)('is the response %j', async (chosen, expected) => {
    const { server } = setUp()
    server.faults.add({ kind: 'response', ...chosen })
    const response = await server.fetch('/v1/models', { headers: { authorization: `Bearer ${server.apiKey}` } })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual(expected)
    if (chosen.status === 503) expect(response.headers.get('retry-after')).toBe('5')
  })

  it('is half of the real response, as JSON that breaks off, after the work', async () => {
    const { server } = setUp()
    server.faults.add({ kind: 'malformed-json', when: 'after' })
    const response = await server.fetch('/v1/models', { headers: { authorization: `Bearer ${server.apiKey}` } })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.stringMatching(/^\{"\w+":/)])
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })
})
