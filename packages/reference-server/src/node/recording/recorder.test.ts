import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startRecorder } from './recorder.ts'
import { loadRecording } from './recording-folder.ts'

const KEY = 'sk_live_0123-4567.89'
const OTHER_KEY = 'not-like-a-key-of-the-service'
const RUN = '/v1/models/lumen%2Faurora/run'
const COMPLETED = {
  job_id: 'job_1',
  request_id: 'req_1',
  status: 'completed',
  model_id: 'lumen/aurora',
  output: {
    type: 'image',
    items: [{ type: 'image', url: 'https://files.test/a.png?signature=s3cret', note: 'x'.repeat(200) }],
  },
  duration_ms: 12,
  credits_used: 7,
}

interface Received {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

type Respond = (outgoing: ServerResponse, received: Received) => void

/** A service that responds as a test says, with a recorder in front of it. */
async function setUp(respond: Respond, { path = '', limits = { connectMs: 5_000, silenceMs: 5_000 } } = {}) {
  const received: Received[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const one = { method, url, headers, body: await text(incoming) }
    received.push(one)
    respond(outgoing, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // bound to a port, so not a pipe
  const service = new URL(`http://127.0.0.1:${port}${path}`)
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-recorder-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const options = { service, folder, host: '127.0.0.1', port: 0, log, warn: log, limits }
  const recorder = await startRecorder(options)
  onTestFinished(() => recorder.close())
  const stored = async () => {
    await recorder.close()
    const names = await readdir(folder)
    return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
  }
  return { received, server, url: recorder.url, recorder, folder, lines, stored }
}

function run(url: string, body: object = { input: { prompt: 'a fox' } }, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return fetch(`${url}${RUN}`, { method: 'POST', headers, body: JSON.stringify(body), ...init })
}

const json = (outgoing: ServerResponse, status: number, body: unknown) =>
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('a recorder', () => {
  it('passes a request on as it is, below the path of the service, webhooks included', async () => {
    const { url, received } = await setUp((outgoing) => json(outgoing, 200, COMPLETED), { path: '/api/' })
    const body = { input: { prompt: 'a fox' }, webhook_url: 'https://app.test/hook?token=1' }
    const response = await run(url, body, { headers: { authorization: `Bearer ${KEY}`, 'x-own': 'kept' } })
    expect([response.status, await response.json()]).toEqual([200, COMPLETED])
    const [one] = received
    expect([received.length, one?.method, one?.url]).toEqual([1, 'POST', `/api${RUN}`])
    expect(JSON.parse(one?.body ?? '')).toEqual(body)
    expect(one?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-own': 'kept' })
    expect(one?.headers.host).not.toBe(new URL(url).host)
  })

  it('sends a run once, and says that it may have been received, when the connection breaks', async () => {
    const { url, received, lines } = await setUp((outgoing) => outgoing.destroy())
    const response = await run(url)
    expect([response.status, await response.json()]).toEqual([
      502,
      {
        error: {
          code: 'RECORDER_NO_RESPONSE',
          message: expect.stringMatching(
            /once, and got no response: .* The run may have been received, and then it is charged\.$/,
          ),
        },
      },
    ])
    expect(received).toHaveLength(1)
    expect(lines[0]).toContain('502 of the recorder')
  })

  it('breaks the connection where the service broke it, and learns nothing from it', async () => {
    const { url, received, stored } = await setUp((outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"models":')
      setTimeout(() => outgoing.destroy(), 50)
    })
    const response = await run(url)
    await expect(response.text()).rejects.toThrow()
    expect(received).toHaveLength(1)
    expect(await stored()).toContain('"exchanges": 0')
  })

  it('says 504 when the service is silent', async () => {
    const { url, received } = await setUp(() => {}, { limits: { connectMs: 5_000, silenceMs: 100 } })
    const response = await run(url)
    expect([response.status, await response.text()]).toEqual([504, expect.stringContaining('RECORDER_TIMEOUT')])
    expect(received).toHaveLength(1)
  })

  it('says that nothing was sent when the service does not listen', async () => {
    const { url, server } = await setUp(() => {})
    server.close()
    await once(server, 'close')
    const response = await run(url)
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('Nothing was sent')])
  })

  it('sends nothing when the client goes away in the middle of its request', async () => {
    const { url, received, recorder } = await setUp((outgoing) => json(outgoing, 200, {}))
    const { host, port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    // Its "100 Continue" says that the recorder has the request and waits for the rest of the body.
    const head = `host: ${host}\r\nexpect: 100-continue\r\ncontent-length: 100`
    socket.write(`POST ${RUN} HTTP/1.1\r\n${head}\r\n\r\n{"input":`)
    await once(socket, 'data')
    socket.destroy()
    await recorder.close()
    expect(received).toHaveLength(0)
  })

  it('records a run whose client does not wait for the response', async () => {
    const finish: (() => void)[] = []
    const { url, folder, received } = await setUp((outgoing) => void finish.push(() => json(outgoing, 200, COMPLETED)))
    const gone = new AbortController()
    const response = run(url, undefined, { signal: gone.signal }).catch(() => 'gone')
    await expect.poll(() => received.length).toBe(1)
    gone.abort()
    expect(await response).toBe('gone')
    finish[0]?.()
    await expect.poll(async () => (await loadRecording(folder)).catalog).toHaveLength(1)
    expect(received).toHaveLength(1)
  })

  it('passes redirects, repeated headers and compressed bodies on, and keeps what is of one connection', async () => {
    const { url, received, stored } = await setUp((outgoing, { url: path }) => {
      if (path !== '/v1/models') return outgoing.writeHead(307, { location: 'https://elsewhere.test/' }).end()
      const headers = { 'content-encoding': 'gzip', 'set-cookie': ['a=1', 'b=2'], 'keep-alive': 'timeout=77' }
      outgoing.writeHead(200, { ...headers, connection: 'x-hop', 'x-hop': 'left out' })
      return outgoing.end(gzipSync(JSON.stringify({ models: [], total: 0 })))
    })
    const redirected = await fetch(`${url}/v1/jobs/1`, { redirect: 'manual' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([307, 'https://elsewhere.test/'])
    const headers = { connection: 'close, x-mine', 'x-mine': 'left out', te: 'trailers', expect: '100-continue' }
    const sent = request(`${url}/v1/models`, { headers }).end()
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as never // its only argument
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(response.headers).not.toHaveProperty('x-hop')
    expect(response.headers['keep-alive']).not.toBe('timeout=77')
    response.resume()
    await once(response, 'end')
    const { headers: passed } = received[1] ?? expect.fail()
    expect(passed).not.toHaveProperty('x-mine')
    expect(passed).not.toHaveProperty('te')
    expect(await stored()).toContain('"exchanges": 2')
  })

  it('stores and prints no key, no input, no result and no query, in files of this user alone', async () => {
    const echo = {
      ...COMPLETED,
      status: 'failed',
      error: { code: 'BAD', message: `${KEY} ${OTHER_KEY} sk_test_9 in https://u:pw@a.test/x?token=1` },
    }
    const { url, folder, lines, stored } = await setUp((outgoing) => json(outgoing, 502, echo))
    await run(url, { input: { prompt: 'private words' }, sync: true })
    await run(url, undefined, { headers: { 'x-api-key': OTHER_KEY } })
    await fetch(`${url}/v1/jobs/${KEY}?key=${OTHER_KEY}`)
    await run(url)
    const files = (await readdir(folder)).filter((name) => name.endsWith('.json'))
    expect(files.toSorted()).toEqual(['models.json', 'profile.json', 'recording.json'])
    for (const name of files) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
    const all = `${await stored()}\n${lines.join('\n')}`
    expect(all).toContain('"code": "BAD"')
    expect(all).not.toMatch(/0123-4567|89"|not-like-a-key|test_9|pw@|token=1|private words|s3cret|xxxx/)
  })

  it('continues the recording of the same service, and rejects another folder', async () => {
    const { url, recorder, folder, lines } = await setUp((outgoing) => json(outgoing, 200, COMPLETED))
    await run(url)
    const options = { folder, host: '127.0.0.1', port: 0, log: () => {}, warn: () => {} }
    await expect(startRecorder({ ...options, service: new URL(url) })).rejects.toThrow('is in use')
    await recorder.close()
    expect(lines).toHaveLength(1)
    await expect(startRecorder({ ...options, service: new URL('https://other.test') })).rejects.toThrow(
      'Name another folder for https://other.test/.',
    )
    const { catalog } = await loadRecording(folder)
    expect(catalog).toMatchObject([
      { id: 'lumen/aurora', pricing: { credits_per_run: 7 }, outcomes: [{ result: 'succeeded' }] },
    ])
    expect(catalog[0]?.outcomes?.[0]?.output).toEqual({
      type: 'image',
      items: [{ type: 'image', url: '{file}', note: '200 characters' }],
    })
  })

  it('waits for the response to a run before it closes', async () => {
    const finish: (() => void)[] = []
    const { url, lines, recorder, received, stored } = await setUp(
      (outgoing) => void finish.push(() => json(outgoing, 200, COMPLETED)),
    )
    const response = run(url)
    await expect.poll(() => received.length).toBe(1)
    const closed = recorder.close()
    expect(lines).toEqual(['Waiting for the service (requests: 1). Ctrl+C stops at once.'])
    finish[0]?.()
    expect(await (await response).json()).toEqual(COMPLETED)
    await closed
    expect(await stored()).toContain('lumen/aurora')
  })

  it('rejects a body that is too large to be passed on whole', async () => {
    const { url, received } = await setUp((outgoing) => json(outgoing, 200, {}))
    const response = await fetch(`${url}${RUN}`, { method: 'POST', body: new Uint8Array(64 * 1024 * 1024 + 1) })
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('Nothing was sent')])
    expect(received).toHaveLength(0)
  })

  it('lives on after a service that does not speak HTTP', async () => {
    const { url } = await setUp((outgoing) => void outgoing.socket?.end('nonsense\r\n\r\n'))
    expect((await run(url)).status).toBe(502)
    expect((await run(url)).status).toBe(502)
  })
})
