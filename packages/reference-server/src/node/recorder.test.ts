import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { COMPLETED, json, KEY, RUN, run, setUpRecorder as setUp } from '../../test/recorder.ts'
import { startRecorder } from './recorder.ts'
import { loadRecording } from './recording-file.ts'

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
    expect(lines[0]).toMatch(/^POST runModel 502 of the recorder \d+ ms$/)
  })

  it('breaks the connection where the service broke it, and stores nothing of it', async () => {
    const { url, received, stored } = await setUp((outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      outgoing.write('{"models":', () => outgoing.destroy())
    })
    const response = await run(url)
    await expect(response.text()).rejects.toThrow()
    expect(received).toHaveLength(1)
    expect((await stored()).trim().split('\n')).toHaveLength(1)
  })

  it('sends a live key over plain http to this machine only', async () => {
    const { url, lines } = await setUp((outgoing) => json(outgoing, 200, COMPLETED), { host: '[::ffff:127.0.0.1]' })
    const response = await run(url)
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Nothing was sent')])
    expect(lines[0]).toMatch(/ 403 of the recorder /)
  })

  it('says that nothing came when the service is silent', async () => {
    const { url, received } = await setUp(() => {}, { silenceMs: 100 })
    const response = await run(url)
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('nothing came for 0.1 s')])
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

  it('passes redirects and repeated headers on, undoes encodings, and keeps what is of one connection', async () => {
    const { url, received } = await setUp((outgoing, { url: path }) => {
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
    expect(response.headers).not.toHaveProperty('x-hop')
    expect(response.headers['keep-alive']).not.toBe('timeout=77')
    expect(JSON.parse(await text(response))).toEqual({ models: [], total: 0 })
    const { headers: passed } = received[1] ?? expect.fail()
    expect(passed).not.toHaveProperty('x-mine')
    expect(passed).not.toHaveProperty('te')
  })

  it('takes a folder that has no recording, and a recording is read although a crash cut its last line off', async () => {
    const items = [{ type: 'video', url: 'https://files.test/a' }, { type: 'text', text: 'secret' }, { type: 'A b' }]
    const bodies = [COMPLETED, { ...COMPLETED, output: { type: 'mixed', items } }]
    const { url, recorder, folder } = await setUp((outgoing) => json(outgoing, 200, bodies.shift()))
    await (await run(url)).text()
    await (await run(url)).text()
    await recorder.close()
    const options = { folder, host: '127.0.0.1', port: 0, log: () => {}, warn: () => {} }
    const service = new URL('https://other.test')
    await expect(startRecorder({ ...options, service })).rejects.toThrow('it has a recording. Name another folder.')
    await writeFile(join(folder, 'exchanges.jsonl'), '{"at":1', { flag: 'a' })
    const { catalog } = await loadRecording(folder)
    const file = { type: 'image', url: '{file}' }
    const text = '{file}data:text/plain,text'
    const mixed = [
      { type: 'video', url: '{file}' },
      { type: 'text', url: text },
      { type: 'image', url: text },
    ]
    const outcomes = [
      { type: 'image', items: [file] },
      { type: 'mixed', items: mixed },
    ].map((output) => {
      return { result: 'succeeded', output, after_ms: expect.any(Number) }
    })
    expect(catalog).toMatchObject([{ id: 'lumen/aurora', pricing: { credits_per_run: 7 }, outcomes }])
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

  it('lives on after a service that does not speak HTTP', async () => {
    const { url } = await setUp((outgoing) => void outgoing.socket?.end('nonsense\r\n\r\n'))
    expect((await run(url)).status).toBe(502)
    expect((await run(url)).status).toBe(502)
  })
})
