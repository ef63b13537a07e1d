import { PERMISSIONS, type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { responseOf } from '../../test/response-of.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const PATHS = [
  ['GET', '/v1/models'],
  ['GET', '/v1/models/aurora-image'],
  ['POST', '/v1/models/aurora-image/run'],
  ['GET', '/v1/jobs/job_1'],
  ['DELETE', '/v1/jobs/job_1'],
  ['GET', '/v1/nothing'],
  ['PUT', '/v1/models'],
] as const

const IN_PROCESS = { transport: 'fetch' } as const

describe('authentication', () => {
  it.each(PATHS)('responds with 401 UNAUTHORIZED without a key: %s %s (sections 5.1 and 5.5)', async (method, path) => {
    const server = createReferenceServer()
    const response = await server.fetch(path, { method })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toEqual({
      error: { code: 'UNAUTHORIZED', message: expect.stringContaining('Authorization: Bearer <API_KEY>') },
    })
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic c2tfdGVzdDo=',
    'sk_test_abc',
    'Bearer one two',
    'Token x',
    'Bearer sk_test_unknown',
  ])('responds with 401 UNAUTHORIZED to the header %j (section 5.5)', async (authorization) => {
    const response = await createReferenceServer().fetch('/v1/models', { headers: { authorization } })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
  })

  it('never repeats what was sent as a key', async () => {
    const server = createReferenceServer()
    for (const authorization of ['Bearer sk_live_secret', 'Basic secret', 'secret']) {
      const response = await server.fetch('/v1/models', { headers: { authorization } })
      expect(await response.text()).not.toContain('secret')
    }
  })

  it('accepts a bearer token whatever the letter case of the scheme', async () => {
    const server = createReferenceServer()
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${server.apiKey}` }
      expect((await server.fetch('/v1/models', { headers })).status).toBe(200)
    }
  })

  it('accepts test keys and live keys (section 5.3)', async () => {
    const server = createReferenceServer()
    for (const live of [false, true]) {
      const { key } = server.createKey({ live })
      expect(key.startsWith(live ? 'sk_live_' : 'sk_test_')).toBe(true)
      expect((await apiCaller(server, key).get('/v1/models')).status).toBe(200)
    }
  })

  it('responds with 401 UNAUTHORIZED to a revoked key, and takes the one it was rotated to (section 5.6)', async () => {
    const server = createReferenceServer()
    const first = server.createKey()
    server.revokeKey(first.key)
    const rejectedBody = await apiCaller(server, first.key).get('/v1/models')
    expect(rejectedBody.status).toBe(401)
    expect(errorOf(rejectedBody).message).toContain('revoked')
    const second = server.createKey()
    const third = server.rotateKey(second.key)
    expect((await apiCaller(server, second.key).get('/v1/models')).status).toBe(401)
    expect((await apiCaller(server, third.key).get('/v1/models')).status).toBe(200)
  })

  it('responds with 403 FORBIDDEN outside the allowlist of a key (section 5.6)', async () => {
    const server = createReferenceServer()
    const { key } = server.createKey({ allowIps: ['203.0.113.0/24', '2001:db8::1'] })
    const ask = (ip?: string) => {
      const request = new Request('https://x.test/v1/models', { headers: { authorization: `Bearer ${key}` } })
      return server.transport.handle(request, { ...IN_PROCESS, ip }).then(responseOf)
    }
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1']) expect((await ask(ip)).status).toBe(200)
    for (const ip of ['203.0.114.7', '2001:db8::2', undefined, 'nonsense']) {
      const response = await ask(ip)
      expect(response.status).toBe(403)
      expect(await response.json()).toEqual({
        error: { code: 'FORBIDDEN', message: expect.stringContaining(ip ?? '127.0.0.1') },
      })
    }
  })
})

const NAMES = Object.keys(ROUTES) as RouteName[] // the keys of a constant

function ask(server: ReferenceServer, name: RouteName, permissions: readonly Permission[]) {
  const route = ROUTES[name]
  const path = routePath(route, { id: 'aurora-image', model: 'aurora-image' })
  return apiCaller(server, server.createKey({ permissions }).key).call(route.method, path)
}

/** Everything that a client gets, without what is different each time. */
async function seenWith(server: ReferenceServer, key: string, path = '/v1/models'): Promise<string> {
  const { status, headers, text } = await apiCaller(server, key).get(path)
  const shown = [...headers].filter(([name]) => name !== 'x-request-id')
  return JSON.stringify({ status, headers: shown, text })
}

/** A wrong key of the right length whose first characters are right. */
function guess(key: string, rightCharacters: number): string {
  const wrong = [...key.slice(rightCharacters)].map((letter) => (letter === 'z' ? 'y' : 'z')).join('')
  return key.slice(0, rightCharacters) + wrong
}

const PREFIX = 'sk_test_'.length

describe('a client that guesses keys', () => {
  it('sees the same however many characters are right', async () => {
    const server = createReferenceServer()
    const { key } = server.createKey()
    const responses = new Set<string>()
    for (let count = PREFIX; count < key.length; count++) {
      responses.add(await seenWith(server, guess(key, count)))
      responses.add(await seenWith(server, key.slice(0, count)))
    }
    expect([...responses]).toEqual([await seenWith(server, 'sk_test_nothing')])
  })

  it('sees nothing of another key in any response', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { key: other } = server.createKey()
    const { body } = await apiCaller(server, other).run('aurora-image', { sync: false })
    const rotated = server.rotateKey(other).key
    const seen = [
      await seenWith(server, server.apiKey, `/v1/jobs/${String(body.job_id)}`),
      await seenWith(server, other),
      await seenWith(server, `"${rotated}"`),
      await seenWith(server, `${rotated}x`),
      await seenWith(server, server.apiKey, `/files/${String(body.job_id)}/0.png`),
    ].join()
    for (const key of [other, rotated]) expect(seen).not.toContain(key.slice(PREFIX, PREFIX + 4))
  })
})

describe('permissions', () => {
  it.each(NAMES)('lets a key with nothing but the permission of %s pass (section 5.4)', async (name) => {
    const response = await ask(createReferenceServer(), name, [ROUTES[name].permission])
    expect([401, 403]).not.toContain(response.status)
  })

  it.each(NAMES)(
    'responds with 403 FORBIDDEN to %s with every permission but its own (sections 5.5 and 7)',
    async (name) => {
      const { permission, method, path } = ROUTES[name]
      const response = await ask(
        createReferenceServer(),
        name,
        PERMISSIONS.filter((one) => one !== permission),
      )
      expect(response.status).toBe(403)
      expect(response.body).toEqual({ error: { code: 'FORBIDDEN', message: expect.stringContaining(permission) } })
      expect(errorOf(response).message).toContain(`${method} ${path}`)
    },
  )

  it('checks the permission before the body, the model and the job', async () => {
    const server = createReferenceServer()
    const caller = apiCaller(server, server.createKey({ permissions: [] }).key)
    expect((await caller.post('/v1/models/no-such-model/run', 'no object')).status).toBe(403)
    expect((await caller.get('/v1/jobs/no-such-job')).status).toBe(403)
    expect((await caller.get('/v1/models?limit=-1')).status).toBe(403)
  })
})
