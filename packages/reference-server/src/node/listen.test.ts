import { createServer } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { listenOn } from '../../../kit/test/listen-on.ts'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'
import { emptyReply, textReply } from '../wire/messages.ts'
import { ListenError } from './errors.ts'
import type { ListenOptions, ServedServer } from './listen.ts'

/** Listens with a server that handles every request in the given way. */
async function serve(handle: ServedServer['transport']['handle'], options?: ListenOptions) {
  const set = vi.fn<ServedServer['transport']['set']>()
  const server = await listenInTest({ transport: { handle, set } }, options)
  return { ...server, set }
}

/** A handler that holds every request until its client disconnects. It reports when a request came and when its client disconnected. */
function holdRequests() {
  const events = new EventTarget()
  const happened = (name: string) => new Promise((resolve) => events.addEventListener(name, resolve))
  const handle: ServedServer['transport']['handle'] = (request) =>
    new Promise((resolve) => {
      request.signal.addEventListener('abort', () => {
        events.dispatchEvent(new Event('aborted'))
        resolve(emptyReply(200))
      })
      events.dispatchEvent(new Event('held'))
    })
  return { handle, held: happened('held'), aborted: happened('aborted') }
}

const hello = async () => textReply(200, 'text/plain', 'hello')

describe('listen', () => {
  it('is bound when it resolves, by default to a free port of the loopback', async () => {
    const server = await serve(hello)
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect(server.port).toBeGreaterThan(0)
    expect(await (await fetch(server.url)).text()).toBe('hello')
  })

  it('hands over method, path, headers and body as they came, and sends the response byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const server = await serve(async (request) => {
      const { pathname, search } = new URL(request.url)
      const said = `${request.method} ${pathname}${search} ${request.headers.get('authorization')}`
      return { status: 202, headers: { 'x-said': said }, body: new Uint8Array(await request.arrayBuffer()) }
    })
    const response = await fetch(`${server.url}/v1/models/a%2Fb/run?x=1`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: bytes,
    })
    expect(response.status).toBe(202)
    expect(response.headers.get('x-said')).toBe('POST /v1/models/a%2Fb/run?x=1 Bearer k')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('aborts the request of a client that goes away while its run is held', async () => {
    const { handle, held, aborted } = holdRequests()
    const server = await serve(handle)
    const client = new AbortController()
    const response = fetch(server.url, { method: 'POST', body: '{}', signal: client.signal })
    await held
    client.abort()
    await expect(response).rejects.toThrow('aborted')
    await aborted
  })

  it('closes idle and busy connections at once, however often it is asked to', async () => {
    const { handle, held, aborted } = holdRequests()
    const server = await serve((request, context) =>
      new URL(request.url).pathname === '/held' ? handle(request, context) : hello(),
    )
    const idle = connect(server.port, '127.0.0.1')
    const idleEnded = new Promise((resolve) => idle.once('close', resolve))
    await (await fetch(server.url)).text()
    const busy = fetch(`${server.url}/held`)
    await held
    await Promise.all([server.close(), server.close()])
    await server.close()
    await expect(busy).rejects.toThrow('fetch failed')
    await aborted
    await idleEnded
    await expect(fetch(server.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  it('gives a bound-to-everything server an address that clients can dial', async () => {
    const server = await serve(hello, { host: '0.0.0.0' })
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect((await fetch(server.url)).status).toBe(200)
  })

  const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
  it.skipIf(!hasIpv6)('puts an IPv6 host into brackets (needs an IPv6 loopback)', async () => {
    const server = await serve(hello, { host: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(server.url)).status).toBe(200)
  })
})

it("holds a key to its IP allowlist by the socket's address (section 5.6)", async () => {
  const server = createReferenceServer()
  const { url } = await listenInTest(server)
  for (const [allowIps, status] of [['127.0.0.0/8', 200] as const, ['203.0.113.7', 403] as const]) {
    const authorization = `Bearer ${server.createKey({ allowIps: [allowIps] }).key}`
    expect((await fetch(`${url}/v1/models`, { headers: { authorization } })).status).toBe(status)
  }
})

describe('listen on a port that cannot be bound', () => {
  it('says that the port is in use, and keeps the cause', async () => {
    const { port, close } = await listenOn(createServer())
    const error = await serve(hello, { port }).catch((reason: unknown) => reason)
    await close()
    expect(error).toBeInstanceOf(ListenError)
    expect(error).toMatchObject({
      message: `Port ${port} on 127.0.0.1 is in use. Stop the program that holds it or take another port; 0 picks a free one.`,
      cause: { code: 'EADDRINUSE' },
    })
  })

  it('says that a host is not of this machine', async () => {
    // An address of the block that is reserved for documentation.
    await expect(serve(hello, { host: '203.0.113.1' })).rejects.toThrow('203.0.113.1 is not an address of this machine')
  })

  it.each([{ port: 70_000 }, { port: -1 }, { port: Number.NaN }, { host: '' }, { host: 'a b' }, { host: '::1%lo' }])(
    'rejects %j, which no URL can name',
    async (options) => {
      await expect(serve(hello, options)).rejects.toThrow(ListenError)
    },
  )
})
