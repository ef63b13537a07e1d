import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { describe, expect, it } from 'vitest'
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
const moved = { status: 301, headers: { location: 'https://www.api.test/v1/models' } }
const noList = (found: string) =>
  `is another service (${found}, and no list of models, to GET /v1/models): correct the base URL, which stands before /v1.`

describe('a wrong base URL or key', () => {
  it.each<[string, Partial<ConformanceOptions>, number]>([
    [noList('200 with text/html'), respond(PAGE, { headers: { 'content-type': 'text/html' } }), 1],
    [noList('404 with text/plain;charset=UTF-8'), respond(PAGE, { status: 404 }), 1],
    [noList('200 with text/plain;charset=UTF-8'), respond('{"name":"some api"}', {}), 1],
    [noList('200 with text/plain;charset=UTF-8'), respond('[]', {}), 1],
    ['redirects to https://www.api.test/v1/models (301): use the base URL of that service.', respond(null, moved), 1],
    ['is not available (429): run the suite again when it is.', respond('busy', { status: 429 }), 6],
    ['is not available (503): run the suite again when it is.', respond('busy', { status: 503 }), 3],
    [
      'rejects the API key (401): use a key of this service that has all permissions.',
      respond('{}', { status: 401 }),
      1,
    ],
  ])('is reported: %s', async (sentence, options, sent) => {
    const { error, requests } = await attempt({ ...options, clock: new VirtualClock() })
    expect(error).toContain(`CannotStartError: https://api.test ${sentence}`)
    expect(requests).toEqual(Array(sent).fill('GET https://api.test/v1/models?limit=1'))
  })

  it('is reported where the key may not list models', async () => {
    const server = createReferenceServer()
    const { key } = server.createKey({ permissions: ['jobs:read'] })
    const { error } = await attempt({ baseUrl: server.baseUrl, apiKey: key, fetch: server.fetch })
    expect(error).toContain('rejects the API key (403): use a key of this service that has all permissions.')
  })

  it('is reported where nothing listens', async () => {
    const { url, close } = await listen(createReferenceServer())
    await close()
    const reason = /There is no response from .* ECONNREFUSED .*: start the service there, or correct the base URL\.$/
    expect((await attempt({ baseUrl: url })).error).toMatch(reason)
  })

  it('is reported where the service does not respond in time', async () => {
    const fetch = (_: string, { signal }: RequestInit) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    const { error } = await attempt({ fetch, clock: new VirtualClock() })
    expect(error).toContain('There is no response from https://api.test (nothing complete within 90000 ms): ')
  })

  it.each<[Partial<ConformanceOptions>, string]>([
    [{ baseUrl: 'https://api.test/v1' }, '`baseUrl` of `runConformance` must be without /v1 at its end'],
    [{ baseUrl: 'https://api.test/v1/' }, 'the suite adds that itself. Use https://api.test.'],
    ...['', 'sk_test_ab\n', 'sk test'].map((apiKey): [{ apiKey: string }, string] => [
      { apiKey },
      '`apiKey` of `runConformance` must be an API key with all permissions, without white space.',
    ]),
  ])('is reported without a request: %o', async (options, sentence) => {
    const { error, requests } = await attempt(options)
    expect(error).toContain(sentence)
    expect(requests).toEqual([])
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
