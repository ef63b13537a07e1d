import ky from 'ky'
import { ConnectionError, InvalidResponseError, ModelRunError } from 'modelrun'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findClosedPort, type HostileServer, type Script, startHostileServer } from './hostile-server.ts'
import { RUN_FAULTS, type RunFault } from './run-faults.ts'
import { json, response } from './server-responses.ts'
import { createTestClient, createTestClock, observe, type TestClock } from './test-client.ts'

const servers: HostileServer[] = []
let clock: TestClock

beforeEach(() => {
  clock = createTestClock()
})

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function start(script: Script): Promise<HostileServer> {
  const server = await startHostileServer({ ...script, onStall: clock.leap })
  servers.push(server)
  return server
}

async function addressOf(service: RunFault['service']): Promise<string> {
  if (service === 'closed port') return await findClosedPort()
  if (service === 'unknown host') return 'http://modelrun.invalid'
  if (service !== 'no TLS') return (await start(service)).url
  const plain = await start({ onConnect: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')) })
  return plain.url.replace('http:', 'https:')
}

const countPosts = () => servers.flatMap(({ requests }) => requests).filter(({ method }) => method === 'POST').length

describe('a run at a service that (section 4.3)', () => {
  test.each(RUN_FAULTS)('$name: the service gets $posts, the caller $outcome', async (fault) => {
    const client = createTestClient(await addressOf(fault.service), { clock })
    // Asynchronous, because the hold of 55 s would be added to the time limit.
    const call = (signal: AbortSignal) => client.run('aurora-image', { prompt: 'x' }, { mode: 'async', signal })
    const { settled, name } = await observe(call)

    expect(name).toBe(fault.outcome)
    expect(countPosts()).toBe(fault.posts)
    if (settled instanceof ModelRunError) {
      expect(settled.submission).toBe(fault.submission)
      expect(settled.attempts.length).toBeGreaterThan(0)
    } else {
      expect(settled).toMatchObject({ job_id: 'job_1', status: 'succeeded' })
    }
  })

  // A ky instance that would send everything again: each method, each status, and whatever came back.
  const pushy = ky.extend({
    retry: {
      limit: 9,
      methods: ['get', 'post', 'delete'],
      statusCodes: [400, 409, 500, 501, 502, 503, 504],
      delay: () => 0,
    },
    hooks: { afterResponse: [() => ky.retry({ delay: 0 })] },
  })

  test.each(RUN_FAULTS)('$name: hooks of a ky instance that force retries get no further POST', async (fault) => {
    const client = createTestClient(await addressOf(fault.service), { clock, ky: pushy })
    const { settled } = await observe((signal) => client.submit('aurora-image', { prompt: 'x' }, { signal }))
    expect(countPosts()).toBeLessThanOrEqual(fault.posts)
    if (settled instanceof ModelRunError) expect(settled.submission).not.toBe('not_sent')
  })

  test('resets each connection at once gets no second one, unless the first never came about', async () => {
    const server = await start({ onConnect: (socket) => void socket.resetAndDestroy() })
    const client = createTestClient(server.url)
    const { settled } = await observe((signal) => client.submit('aurora-image', {}, { signal }))
    if (!(settled instanceof ConnectionError)) throw settled
    // Which of the two it is depends on how far the client's system is when the reset comes.
    if (settled.submission === 'unknown') expect(server.connectionCount()).toBe(1)
    else expect(settled.submission).toBe('not_sent')
    expect(server.requests).toHaveLength(0)
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'of status %i to another place is not followed: that gets nothing',
    async (status) => {
      const other = await start({ POST: [json(202, {})], GET: [json(200, {})] })
      const redirect = response(status, '', [['location', `${other.url}/v1/models/aurora-image/run`]])
      const service = await start({ POST: [redirect], GET: [redirect] })
      const client = createTestClient(service.url)
      const run = await observe((signal) => client.run('aurora-image', {}, { mode: 'async', signal }))
      const read = await observe((signal) => client.models.list({}, { signal }))

      expect([run.name, read.name]).toEqual(['InvalidResponseError', 'InvalidResponseError'])
      // 302 and 303 are also sent after the work was done.
      const submission = [302, 303].includes(status) ? 'unknown' : 'rejected'
      expect(run.settled).toMatchObject({ submission, status })
      expect(run.settled instanceof InvalidResponseError && run.settled.message).toContain(`a redirect to ${other.url}`)
      expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
      expect(other.connectionCount()).toBe(0)
    },
  )

  test.each([
    [301, undefined],
    [307, undefined],
    [308, ky.create({ hooks: { beforeRequest: [() => {}] } })],
  ])('of status %i to the same path with a slash is followed once, by a run too', async (status, instance) => {
    const to = (path: string) => response(status, '', [['location', path]])
    const run = '/v1/models/aurora-image/run'
    const service = await start({
      POST: [to(`${run}/`), json(202, { job_id: 'job_1', status: 'queued' }), to(`${run}/`), to(`${run}//`)],
      GET: [to('/v1/jobs/job_1/?a=b'), json(200, { data: { status: 'processing' } })],
    })
    const client = createTestClient(service.url, { ky: instance })
    const job = await client.submit('aurora-image', {}, { maxRetries: 0 })
    expect(await job.get()).toMatchObject({ status: 'processing' })
    await expect(client.submit('aurora-image', {})).rejects.toMatchObject({ submission: 'rejected', status })
    const get = '/v1/jobs/job_1'
    expect(service.requests.map(({ path }) => path)).toEqual([run, `${run}/`, get, `${get}/`, run, `${run}/`])
    expect(new Set(service.requests.slice(0, 2).map(({ body }) => body)).size).toBe(1)
  })
})
