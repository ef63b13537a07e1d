import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { VirtualClock } from '../test/virtual-clock.ts'
import type { ConformanceOptions } from './options.ts'
import { runConformance } from './run-conformance.ts'

const API_KEY = 'sk_test_probe'

/** What the suite says instead of a report, and which requests it sent. */
async function attempt(options: Partial<ConformanceOptions>) {
  const requests: string[] = []
  const fetch = async (url: string, init: RequestInit) => {
    requests.push(`${init.method} ${url}`)
    return (options.fetch ?? globalThis.fetch)(url, init)
  }
  const outcome = runConformance({ baseUrl: 'https://api.test', apiKey: API_KEY, allowRuns: true, ...options, fetch })
  const error = await outcome.then(
    ({ summary }) => summary,
    (thrown: Error) => `${thrown.name}: ${thrown.message}`,
  )
  return { error, requests }
}

const respond = (body: BodyInit | null, init: ResponseInit) => ({ fetch: async () => new Response(body, init) })
const PAGE = '<!doctype html><title>It works!</title>'

describe('a wrong base URL or key', () => {
  let url: string
  let closedUrl: string
  const server = createReferenceServer()

  beforeAll(async () => {
    const listening = await listen(server)
    url = listening.url
    const other = await listen(createReferenceServer())
    closedUrl = other.url
    await other.close()
    return listening.close
  })

  afterAll(() => server.close())

  it('is reported where nothing listens, after one request', async () => {
    expect(await attempt({ baseUrl: closedUrl })).toEqual({
      error: expect.stringMatching(
        /^CannotStartError: There is no response from .* ECONNREFUSED .*: start the service there, or correct the base URL\.$/,
      ),
      requests: [`GET ${closedUrl}/v1/models?limit=1`],
    })
  })

  it('is reported where the service does not respond in time', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.closeAllConnections())
    onTestFinished(() => void silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as AddressInfo // bound to a port, so not a pipe
    const { error } = await attempt({ baseUrl: `http://127.0.0.1:${port}`, limits: { requestMs: 100 } })
    expect(error).toBe(
      `CannotStartError: There is no response from http://127.0.0.1:${port} (nothing complete within 100 ms): ` +
        'start the service there, or correct the base URL.',
    )
  })

  it('is reported without a request where the base URL ends in /v1', async () => {
    for (const end of ['/v1', '/v1/']) {
      expect(await attempt({ baseUrl: `${url}${end}` })).toEqual({
        error: `ConfigurationError: \`baseUrl\` of \`runConformance\` must be without /v1 at its end: the suite adds that itself. Use ${url}.`,
        requests: [],
      })
    }
  })

  it('is reported where the service does not know the key', async () => {
    expect(await attempt({ baseUrl: url })).toEqual({
      error: `CannotStartError: ${url} rejects the API key (401): use a key of this service that has all permissions.`,
      requests: [`GET ${url}/v1/models?limit=1`],
    })
  })

  it('is reported where the key may not list models', async () => {
    const { key } = server.createKey({ permissions: ['jobs:read'] })
    const { error } = await attempt({ baseUrl: url, apiKey: key })
    expect(error).toBe('CannotStartError: The API key may not list models (403): use a key that has all permissions.')
  })

  it.each(['', 'sk_test_ab\n', 'sk test'])('is reported without a request where the key is %j', async (apiKey) => {
    expect(await attempt({ apiKey })).toEqual({
      error:
        'ConfigurationError: `apiKey` of `runConformance` must be an API key with all permissions, without white space.',
      requests: [],
    })
  })

  it('is reported where the service is below another path', async () => {
    const { error } = await attempt({ baseUrl: `${url}/api`, apiKey: server.apiKey })
    expect(error).toBe(
      `CannotStartError: ${url}/api has no models (404 to GET /v1/models): correct the base URL, which stands before /v1.`,
    )
  })

  it.each([
    [respond(PAGE, { headers: { 'content-type': 'text/html' } }), 'is another service (text/html to GET /v1/models)'],
    [respond(PAGE, { status: 404 }), 'has no models (404 to GET /v1/models)'],
    [respond('{"name":"some api"}', {}), 'is another service (GET /v1/models does not return a list of models)'],
    [respond('[]', {}), 'is another service (GET /v1/models does not return a list of models)'],
    [
      respond(null, { status: 301, headers: { location: 'https://www.api.test/v1/models' } }),
      'redirects to https://www.api.test/v1/models (301): use the base URL of that service.',
    ],
  ])('is reported where the response is %o', async (options, sentence) => {
    const { error, requests } = await attempt(options)
    expect(error).toContain(`CannotStartError: https://api.test ${sentence}`)
    expect(requests).toEqual(['GET https://api.test/v1/models?limit=1'])
  })

  it.each([
    [429, 6],
    [503, 3],
  ])('is reported where the service keeps rejecting requests with %i', async (status, sent) => {
    const { error, requests } = await attempt({ ...respond('busy', { status }), clock: new VirtualClock() })
    expect(error).toBe(
      `CannotStartError: https://api.test is not available (${status}): run the suite again when it is.`,
    )
    expect(requests.length).toBe(sent)
  })

  it('is not seen in one read that fails: it is sent again, and judged', async () => {
    const { baseUrl, apiKey, clock, fetch: serve } = createReferenceServer({ clock: 'auto' })
    let requests = 0
    const fetch = async (requested: string, init: RequestInit) =>
      requests++ === 0 ? new Response('{}', { status: 503 }) : serve(requested, init)
    const { error } = await attempt({ baseUrl, apiKey, clock, fetch, allowRuns: false, only: ['models'] })
    expect(error).toMatchObject({ fail: 0 })
  })

  it('is not seen in a list with a mistake: that is for the checks', async () => {
    for (const list of ['{"models":{}}', '{"total":1}']) {
      expect((await attempt({ ...respond(list, {}), allowRuns: false, only: ['models'] })).error).toMatchObject({
        fail: expect.any(Number),
      })
    }
  })
})
