import { afterEach, describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../options.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { DashboardPage } from './dashboard.ts'
import { listen } from './listen.ts'
import { MOST_FORKS } from './served-forks.ts'

const MODEL = 'aurora-image'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function serve(options: ReferenceServerOptions = {}, dashboard?: DashboardPage) {
  const server = createReferenceServer({ clock: 'manual', ...options })
  const { url, close } = await listen(server, { dashboard })
  ends.push(() => server.close(), close)
  return { server, close, caller: callerAt(url, server) }
}

/** Calls of one key and of the control API, over the socket. */
function callerAt(url: string, { apiKey }: ReferenceServer) {
  const request = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const control = (method: string, path: string, body?: object) => request(method, `/_reference/${path}`, body)
  const run = async (body: object = { sync: false }): Promise<string> =>
    (await request('POST', `/v1/models/${MODEL}/run`, { input: { prompt: 'a fox' }, ...body })).body.job_id
  const status = async (id: string) => (await request('GET', `/v1/jobs/${id}`)).body.data?.status
  return { url, control, run, status }
}

async function fork(server: ReferenceServer, { control }: ReturnType<typeof callerAt>) {
  const { status, body } = await control('POST', 'forks')
  expect(status).toBe(200)
  return { ...callerAt(body.url, server), id: String(body.id) }
}

describe('a fork of a server that listens', () => {
  it('continues from the same state at a url of its own, and neither knows of the other from then on', async () => {
    const { server, caller } = await serve()
    const id = await caller.run()
    await caller.control('POST', 'faults', { kind: 'unavailable', route: 'getModel' })
    const other = await fork(server, caller)
    expect(new URL(other.url).port).not.toBe(new URL(caller.url).port)
    expect((await other.control('GET', 'faults')).body.faults).toHaveLength(1)
    await other.control('POST', 'clock', { advance_ms: 60_000 })
    expect([await other.status(id), await caller.status(id)]).toEqual(['succeeded', 'queued'])
    await other.control('DELETE', 'faults')
    await caller.run()
    expect((await caller.control('GET', 'faults')).body.faults).toHaveLength(1)
    expect((await caller.control('GET', 'jobs')).body.jobs).toHaveLength(2)
    expect((await other.control('GET', 'jobs')).body.jobs).toHaveLength(1)
  })

  it('has the speed of the clock, and what happened to its jobs', async () => {
    const { server, caller } = await serve({ clock: 'system', latency: 3_600_000 })
    await caller.control('POST', 'clock/scale', { scale: 0 })
    const id = await caller.run()
    const other = await fork(server, caller)
    expect((await other.control('GET', 'clock')).body).toEqual((await caller.control('GET', 'clock')).body)
    const { exchanges } = (await other.control('GET', `jobs/${id}/exchanges`)).body
    expect(exchanges).toEqual((await caller.control('GET', `jobs/${id}/exchanges`)).body.exchanges)
    expect(exchanges[0]).toMatchObject({ kind: 'request', route: 'runModel' })
  })

  it('delivers to the receivers of its jobs; to the built-in one of the first server without it', async () => {
    const { server, caller } = await serve()
    const id = await caller.run({ webhook_url: `${caller.url}/_reference/receiver` })
    const other = await fork(server, caller)
    await other.control('POST', 'clock', { advance_ms: 60_000 })
    const { deliveries } = (await other.control('GET', 'deliveries')).body
    expect(deliveries).toMatchObject([{ job_id: id, outcome: 'delivered', status: 204 }])
  })

  it('has the page of its server, and says whose fork it is', async () => {
    const { server, caller } = await serve({}, { path: '/page/', respond: () => undefined })
    const other = await fork(server, caller)
    const { body } = await caller.control('GET', 'forks')
    expect(body).toEqual({ forks: [{ id: 'fork_1', url: other.url, dashboard_url: `${other.url}/page/` }] })
    expect((await other.control('GET', 'forks')).body).toEqual({ forks: [], fork_of: caller.url })
  })

  it('is stopped alone, with all, and with its server', async () => {
    const { server, caller, close } = await serve()
    const [one, two, three] = [await fork(server, caller), await fork(server, caller), await fork(server, caller)]
    const ofThree = await fork(server, three)
    expect((await caller.control('DELETE', `forks?id=${one.id}`)).body).toEqual({ stopped: 1 })
    expect((await caller.control('DELETE', `forks?id=${one.id}`)).status).toBe(404)
    await expect(one.control('GET', 'clock')).rejects.toThrow()
    expect((await two.control('GET', 'clock')).status).toBe(200)
    await close()
    for (const gone of [two, three, ofThree]) await expect(gone.control('GET', 'clock')).rejects.toThrow()
  })

  it('is one of eight at most, forks of forks included', async () => {
    const { server, caller } = await serve()
    const first = await fork(server, caller)
    for (let count = 1; count < MOST_FORKS; count++) await fork(server, first)
    const rejected = await caller.control('POST', 'forks')
    expect([rejected.status, rejected.body.error.message]).toEqual([409, expect.stringContaining('8 forks')])
    expect((await caller.control('DELETE', 'forks')).body).toEqual({ stopped: 1 })
    await fork(server, caller)
  })

  it('accepts what its server accepts: no other page, no other host, the same control token', async () => {
    const { server, caller } = await serve()
    const other = await fork(server, caller)
    for (const url of [caller.url, other.url]) {
      const post = (headers: Record<string, string>) =>
        fetch(`${url}/_reference/forks`, { method: 'POST', headers }).then(({ status }) => status)
      expect(await post({ origin: 'https://evil.example' })).toBe(403)
      expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403)
      expect(await post({ 'x-forwarded-for': '192.0.2.7' })).toBe(403)
      expect(await post({ 'x-forwarded-for': '192.0.2.7', 'x-reference-token': server.controlToken })).toBe(200)
    }
  })
})

it('a server in this process has no port to fork to: server.fork() does it', async () => {
  const response = await apiCaller(createReferenceServer()).post('/_reference/forks', {})
  expect([response.status, errorOf(response).message]).toEqual([409, expect.stringContaining('server.fork()')])
})
