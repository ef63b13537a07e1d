import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const MODEL = 'aurora-image'

function setUp(options: Parameters<typeof createReferenceServer>[0] = {}) {
  const server = createReferenceServer({ clock: 'auto', ...options })
  return { server, caller: apiCaller(server) }
}

describe('x-request-id', () => {
  it('is another one for each response of the service, whatever its status', async () => {
    const { server, caller } = setUp()
    const { body, headers } = await caller.run(MODEL)
    const { output } = body as { output: { items: { url: string }[] } } // checked by the tests of runs
    const responses = [
      await caller.get('/v1/models'),
      await caller.get('/v1/models/none'),
      await server.fetch('/v1/models'),
      await caller.run(MODEL, { sync: 'yes' }),
      await caller.get('/elsewhere'),
      await server.fetch(output.items[0]?.url ?? ''),
    ]
    const ids = [headers, ...responses.map((response) => response.headers)].map((one) => one.get('x-request-id'))
    expect(ids).toEqual(['http_1', 'http_2', 'http_3', 'http_4', 'http_5', 'http_6', 'http_7'])
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 401, 400, 404, 200])
  })

  it('is not the request_id of the run, which the provider gives (section 2.4)', async () => {
    const { body, headers } = await setUp().caller.run(MODEL)
    expect(body.request_id).toMatch(/^req_/)
    expect(headers.get('x-request-id')).not.toBe(body.request_id)
  })

  it('comes with a body that a fault corrupts, and with what a fault sends instead', async () => {
    const { server, caller } = setUp()
    for (const kind of ['slow-body', 'truncated-body', 'unavailable', 'rate-limit'] as const) {
      server.faults.add({ kind, route: 'listModels', times: 1 })
      const response = await server.fetch('/v1/models', { headers: { authorization: `Bearer ${server.apiKey}` } })
      expect([kind, response.headers.get('x-request-id')]).toEqual([kind, expect.stringMatching(/^http_\d$/)])
      await response.text().catch(() => {})
    }
    expect((await caller.get('/v1/models')).headers.get('x-request-id')).toBe('http_5')
  })

  it('does not depend on control requests: they have none', async () => {
    const { caller } = setUp()
    const control = await caller.post('/_reference/keys', {})
    expect(control.headers.get('x-request-id')).toBeNull()
    expect((await caller.get('/v1/models')).headers.get('x-request-id')).toBe('http_1')
  })

  it('continues in a fork as it would have continued here', async () => {
    const { server, caller } = setUp()
    await caller.get('/v1/models')
    const fork = apiCaller(server.fork())
    expect((await fork.get('/v1/models')).headers.get('x-request-id')).toBe('http_2')
  })

  it('is switched off by the assumption requestIdHeader', async () => {
    const { caller } = setUp({ assumptions: { requestIdHeader: 'none' } })
    expect((await caller.get('/v1/models')).headers.get('x-request-id')).toBeNull()
  })
})
