import { PERMISSIONS, type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { responseOf } from '../../test/response-of.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

describe('authentication', () => {
  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic secret',
    'secret',
    'Bearer one secret',
    'Token secret',
    'Bearer sk_live_secret',
  ])('responds with 401 UNAUTHORIZED to the header %j, and does not repeat it (section 5.5)', async (authorization) => {
    const response = await createReferenceServer().fetch('/v1/models', { headers: { authorization } })
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(text).not.toContain('secret')
  })

  it('responds with 403 FORBIDDEN outside the allowlist of a key (section 5.6)', async () => {
    const server = createReferenceServer()
    const { key } = server.createKey({ allowIps: ['203.0.113.0/24', '2001:db8::1'] })
    const ask = (ip?: string) => {
      const request = new Request('https://x.test/v1/models', { headers: { authorization: `Bearer ${key}` } })
      return server.transport.handle(request, { transport: 'fetch', ip }).then(responseOf)
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

const NAMES = Object.keys(ROUTES) as RouteName[] // the keys of a constant

it.each(NAMES)('%s needs its permission, and no other (sections 5.4, 5.5 and 7)', async (name) => {
  const server = createReferenceServer()
  const { permission, method, path } = ROUTES[name]
  const filled = routePath(ROUTES[name], { id: 'aurora-image', model: 'aurora-image' })
  const ask = (permissions: readonly Permission[]) =>
    apiCaller(server, server.createKey({ permissions }).key).call(method, filled)
  expect((await ask([permission])).status).not.toBeOneOf([401, 403])
  const { status, body } = await ask(PERMISSIONS.filter((one) => one !== permission))
  const message = expect.stringMatching(new RegExp(`${permission}.*${method} ${path.replaceAll(/[{}]/g, '.')}`))
  expect([status, body]).toEqual([403, { error: { code: 'FORBIDDEN', message } }])
})
