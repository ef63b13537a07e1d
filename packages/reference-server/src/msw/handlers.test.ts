import { runCompletedSchema } from '@modelrun/contract'
import { decode } from 'fast-png'
import { getResponse, type HttpHandler } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import { emptyReply, jsonReply } from '../wire/messages.ts'
import { handlers, type MockedServer } from './handlers.ts'

const BASE_URL = 'https://api.modelrun.test'

/** A run over plain `fetch`. */
async function runPicture({ baseUrl, apiKey }: ReferenceServer) {
  const response = await fetch(`${baseUrl}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a lighthouse', image_size: 'square' } }),
  })
  return runCompletedSchema.parse(await response.json())
}

/** A server that counts its requests and responds with the number, method, path and body of each. */
function countingServer(baseUrl = BASE_URL) {
  let count = 0
  const server = {
    baseUrl,
    transport: {
      set: ({ baseUrl: url = baseUrl }: { baseUrl?: string | undefined }): void => {
        server.baseUrl = url
      },
      handle: vi.fn<MockedServer['transport']['handle']>(async (request) => {
        const number = ++count
        const { pathname, search } = new URL(request.url)
        const text = new TextDecoder().decode(await request.arrayBuffer())
        return jsonReply(200, { number, said: `${request.method} ${pathname}${search} ${text}` })
      }),
    },
  }
  return server
}

function intercept(parts: HttpHandler[], onUnhandledFrame: 'error' | 'bypass' = 'error') {
  const network = setupServer(...parts)
  network.listen({ onUnhandledFrame })
  onTestFinished(() => network.close())
}

describe('msw handlers', () => {
  it('respond to plain fetch, and name the transport to the server', async () => {
    const server = countingServer()
    intercept(handlers(server))
    const response = await fetch(`${BASE_URL}/v1/models/a%2Fb/run?x=1`, { method: 'POST', body: '{"input":{}}' })
    expect(await response.json()).toEqual({ number: 1, said: 'POST /v1/models/a%2Fb/run?x=1 {"input":{}}' })
    expect(server.transport.handle.mock.calls[0]?.[1]).toEqual({ transport: 'msw' })
  })

  it.each([
    ['GET', '/v1/models'],
    ['DELETE', '/v1/jobs/job_1'],
    ['GET', '/files/picture.png'],
    ['POST', '/_reference/clock'],
    ['GET', ''],
    ['GET', '/'],
  ])('cover %s %s', async (method, path) => {
    intercept(handlers(countingServer()))
    expect((await fetch(BASE_URL + path, { method })).status).toBe(200)
  })

  it.each([
    ['https://API.Example.test', 'https://api.example.test'],
    ['https://a.test:443', 'https://a.test'],
    ['http://a.test:80/api', 'http://a.test/api'],
    ['http://bücher.test', 'http://xn--bcher-kva.test'],
    ['https://a.test/models/', 'https://a.test/models'],
    ['https://a.test/./x/../models', 'https://a.test/models'],
    ['https://a.test/möbel', 'https://a.test/m%C3%B6bel'],
    ['http://127.1:4010', 'http://127.0.0.1:4010'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('cover %s however it is written', async (baseUrl, normal) => {
    for (const given of [baseUrl, normal]) {
      const server = createReferenceServer()
      const network = setupServer(...handlers(server, { baseUrl: given }))
      network.listen({ onUnhandledFrame: 'error' })
      expect(server.baseUrl).toBe(given.replace(/\/$/, ''))
      const headers = { authorization: `Bearer ${server.apiKey}` }
      for (const called of [baseUrl.replace(/\/$/, ''), normal]) {
        expect((await fetch(`${called}/v1/models`, { headers })).status).toBe(200)
      }
      network.close()
    }
  })

  it.each([
    'https://api.modelrun.test.example.com/v1/models',
    'https://apiXmodelrun.test/v1/models',
    'https://other.test/v1/models',
  ])('leave %s alone', async (url) => {
    // The network prints what it did not expect.
    vi.spyOn(console, 'error').mockReturnValue()
    const server = countingServer()
    intercept(handlers(server))
    await expect(fetch(url)).rejects.toThrow()
    expect(server.transport.handle).not.toHaveBeenCalled()
  })

  it('give a request one response while two networks listen with the same handlers', async () => {
    const server = countingServer()
    const shared = handlers(server)
    intercept(shared)
    intercept(shared)
    await fetch(`${BASE_URL}/run`, { method: 'POST', body: '{}' })
    expect(server.transport.handle).toHaveBeenCalledTimes(1)
  })

  it('give msw a body of its own each time it asks for the same request', async () => {
    const shared = handlers(countingServer())
    const request = new Request(BASE_URL)
    const bodies = []
    for (let run = 0; run < 2; run++) bodies.push(await (await getResponse(shared, request))?.json())
    expect(bodies).toEqual([
      { number: 1, said: 'GET / ' },
      { number: 1, said: 'GET / ' },
    ])
  })

  it('notify the server when a client aborts, and print nothing', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    const client = new AbortController()
    const aborted = new Promise<void>((resolve) => {
      const handle: MockedServer['transport']['handle'] = (request) =>
        new Promise((respond) => {
          request.signal.addEventListener('abort', () => {
            respond(emptyReply(200))
            resolve()
          })
          client.abort()
        })
      intercept(handlers({ ...countingServer(), transport: { set: () => {}, handle } }))
    })
    await expect(fetch(BASE_URL, { signal: client.signal })).rejects.toThrow('aborted')
    await aborted
    expect(print).not.toHaveBeenCalled()
  })
})

describe('msw handlers of a whole reference server', () => {
  it('serve two services from one network, each at its address, and charge each run once', async () => {
    const services = ['https://one.test', 'https://two.test/inference'].map((baseUrl) =>
      createReferenceServer({ clock: 'auto', credits: 100, baseUrl }),
    )
    intercept([], 'bypass')
    intercept(services.flatMap((server) => handlers(server)))
    await Promise.all([...services, ...services].map((server) => runPicture(server)))
    expect(services.map((server) => server.credits())).toEqual([92, 92])
  })

  it('charge a run once while two networks listen, and serve its file (sections 2.5 and 4.3)', async () => {
    const server = createReferenceServer({ clock: 'auto', credits: 100 })
    intercept([], 'bypass')
    intercept(handlers(server, { baseUrl: 'https://gate.test/inference/' }))
    const completed = await runPicture(server)
    expect(server.credits()).toBe(100 - completed.credits_used)
    const fileUrl = completed.output.items[0]?.url ?? ''
    expect(fileUrl).toMatch(/^https:\/\/gate\.test\/inference\/files\//)
    expect(decode(await (await fetch(fileUrl)).arrayBuffer())).toMatchObject({ width: 512 })
  })
})
