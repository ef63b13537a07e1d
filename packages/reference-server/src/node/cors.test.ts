import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it } from 'vitest'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'
import { type ListenOptions, listen } from './listen.ts'

const PAGE = 'http://localhost:5173'

/** A server on a socket, and requests as the browser sends them for a page. */
async function serve(options: ListenOptions = {}) {
  const server = createReferenceServer()
  const { url } = await listenInTest(server, options)
  const send = (path: string, init: RequestInit = {}, origin: string | undefined = PAGE) => {
    const headers = { authorization: `Bearer ${server.apiKey}`, ...(origin && { origin }), ...init.headers }
    return fetch(`${url}${path}`, { ...init, headers })
  }
  const preflight = (path: string, origin = PAGE) => {
    const headers = {
      authorization: '',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    }
    return send(path, { method: 'OPTIONS', headers }, origin)
  }
  return { server, url, send, preflight }
}

const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

describe('a web page of another origin', () => {
  it('may call the service when its origin is named', async () => {
    const { send, preflight } = await serve({ cors: ['http://localhost:3000', PAGE] })
    const asked = await preflight('/v1/models/aurora-image/run')
    expect([asked.status, allowed(asked)]).toEqual([204, PAGE])
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE')
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    const response = await send('/v1/models')
    expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([200, PAGE, 'origin'])
  })

  it('reads errors, all headers and produced files', async () => {
    const { server, send } = await serve({ cors: [PAGE] })
    server.script('aurora-image', [{ result: 'succeeded', after_ms: 0 }])
    const body = JSON.stringify({ input: { prompt: 'a red fox' } })
    const run = await send('/v1/models/aurora-image/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { output } = await run.json()
    const file = await send(new URL(output.items[0].url).pathname)
    const missing = await send('/v1/models/none')
    expect([run, file, missing].map(allowed)).toEqual([PAGE, PAGE, PAGE])
    expect([run.status, file.status, missing.status]).toEqual([200, 200, 404])
    expect(missing.headers.get('access-control-expose-headers')).toBe('*')
    expect(missing.headers.get('x-request-id')).toMatch(/^http_/)
  })

  it('reads what a fault corrupts', async () => {
    const { server, send } = await serve({ cors: [PAGE] })
    server.faults.add({ kind: 'slow-body', delay_ms: 1, times: 1 })
    server.faults.add({ kind: 'bad-gateway', times: 1 })
    expect([allowed(await send('/v1/models')), allowed(await send('/v1/models'))]).toEqual([PAGE, PAGE])
  })

  it('may call the service from anywhere with *, without cookies', async () => {
    const { send, preflight } = await serve({ cors: ['*'] })
    const responses = [await send('/v1/models', {}, 'https://app.example'), await preflight('/v1/models', 'null')]
    expect(responses.map(allowed)).toEqual(['*', '*'])
    for (const { headers } of responses) expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('may not call the service when its origin is not named', async () => {
    const { send, preflight } = await serve({ cors: [PAGE] })
    for (const origin of ['http://localhost:5174', 'https://localhost:5173', 'http://evil.example', 'null']) {
      expect(allowed(await preflight('/v1/models', origin))).toBeNull()
      expect(allowed(await send('/v1/models', {}, origin))).toBeNull()
    }
  })

  it('may not call the service by default, and its preflight is rejected', async () => {
    const { preflight } = await serve()
    const asked = await preflight('/v1/models')
    expect([asked.ok, allowed(asked)]).toEqual([false, null])
  })

  it('never controls the server, not even with a request that needs no preflight', async () => {
    const { server, send, preflight } = await serve({ cors: ['*'] })
    const { key } = server.createKey()
    for (const path of ['/_reference/reset', '/_reference', '/prefix/_reference/keys']) {
      const sent = await send(path, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' })
      const asked = await preflight(path)
      expect([sent.status, asked.status, allowed(sent), allowed(asked)]).toEqual([403, 403, null, null])
    }
    expect(server.journal.entries({ key })).toEqual([])
  })
})

it('what is not a web page of another origin is served as ever: programs, and pages of the server itself', async () => {
  const { url, send } = await serve({ cors: [PAGE] })
  const program = await send('/_reference/reset', { method: 'POST' }, '')
  const ownPage = await send('/_reference/reset', { method: 'POST' }, url)
  expect([program.status, ownPage.status]).toEqual([200, 200])
  const response = await send('/v1/models', {}, '')
  expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([200, null, 'origin'])
})

it.each(['', 'app.example', 'http://a.test/path', 'http://u:p@a.test', 'file:///', 'a.test:80'])(
  'an origin is not %j',
  async (text) => {
    await expect(listen(createReferenceServer(), { cors: [text] })).rejects.toThrow(ConfigurationError)
  },
)
