import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'

/** A server on loopback, and requests with headers that `fetch` does not let a program choose. */
async function serve(baseUrl?: string) {
  const server = createReferenceServer()
  const { port } = await listenInTest(server)
  server.transport.set({ baseUrl })
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers: { host: `localhost:${port}`, ...headers } })
    sent.end()
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage] // what 'response' gives
    return { status: response.statusCode, text: await text(response) }
  }
  return { server, port, ask }
}

describe('the control API on a loopback socket', () => {
  it.each(['localhost', 'localhost:1', '127.0.0.1', '127.9.9.9:4010', '[::1]:4010', 'LOCALHOST'])(
    'takes a request to the host %s',
    async (host) => {
      const { ask } = await serve()
      expect((await ask('/_reference/report', { host })).status).toBe(200)
    },
  )

  it.each(['evil.example:4010', 'localhost.evil.example', '127.0.0.1.nip.example', '192.168.1.5', '[2001:db8::1]'])(
    'rejects a request to the host %s, which leads to it from elsewhere, but for one with the token',
    async (host) => {
      const { server, ask } = await serve()
      const { key } = server.createKey()
      for (const path of ['/_reference', '/_reference/report', '/_reference/nothing']) {
        const { status, text: body } = await ask(path, { host, origin: `http://${host}` })
        expect([status, JSON.parse(body).error.code]).toEqual([403, 'FORBIDDEN'])
        expect(body).not.toContain(key)
      }
      expect((await ask('/_reference/reset', { host }, 'POST')).status).toBe(403)
      const token = { 'x-reference-token': server.controlToken }
      expect((await ask('/_reference/report', { host, ...token })).status).toBe(200)
    },
  )

  it('takes a request to the host of its base URL', async () => {
    const { ask } = await serve('http://models.test:8080/api')
    expect((await ask('/api/_reference/faults', { host: 'models.test:8080' })).status).toBe(200)
    expect((await ask('/api/_reference/faults', { host: 'other.test:8080' })).status).toBe(403)
  })

  it.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via'])(
    'rejects what a proxy or tunnel says to have forwarded: %s',
    async (header) => {
      const { ask } = await serve('https://models.example')
      expect((await ask('/_reference/keys', { host: 'models.example', [header]: '127.0.0.1' })).status).toBe(403)
    },
  )

  it('checks both hosts when the request line has one of its own', async () => {
    const { port } = await serve()
    const first = async (line: string, host: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${line} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      return (await text(socket)).split('\r\n', 1)[0]
    }
    expect(await first(`http://localhost:${port}/_reference/clock`, 'localhost')).toContain('200')
    expect(await first(`http://localhost:${port}/_reference/clock`, 'evil.example')).toContain('403')
    expect(await first('http://evil.example/_reference', 'localhost')).toContain('403')
  })

  it.each(['cross-site', 'same-site'])('takes no image and no link of another page (%s)', async (site) => {
    const { ask } = await serve()
    expect((await ask('/_reference/report', { 'sec-fetch-site': site })).status).toBe(403)
    for (const own of ['same-origin', 'none']) {
      expect((await ask('/_reference/report', { 'sec-fetch-site': own })).status).toBe(200)
    }
  })

  it('leaves the service itself open to every host', async () => {
    const { server, ask } = await serve()
    const authorization = `Bearer ${server.apiKey}`
    const headers = { host: 'models.example', 'x-forwarded-for': '203.0.113.7', authorization }
    expect((await ask('/v1/models', headers)).status).toBe(200)
  })
})
