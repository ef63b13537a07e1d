import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const MODEL = 'aurora-image' // 4 credits

async function setUp() {
  const server = createReferenceServer({ clock: 'auto' })
  const control = apiCaller(server)
  const created = await control.post('/_reference/keys', { credits: 10 })
  const key = String(created.body.key)
  return { server, control, key, caller: apiCaller(server, key) }
}

describe('control API: keys', () => {
  it('returns the details of a key', async () => {
    const { control, key, caller } = await setUp()
    await caller.run(MODEL)
    expect((await control.get(`/_reference/keys?key=${key}`)).body).toEqual({
      key,
      live: false,
      permissions: expect.arrayContaining(['models:run']),
      revoked: false,
      credits: { left: 6, available: 6 },
    })
    expect((await control.get('/_reference/keys?key=sk_test_other')).status).toBe(404)
  })

  it('limits the addresses of a key, and lifts the limit with null', async () => {
    const { control, key } = await setUp()
    const limited = await control.post('/_reference/keys/limit', { key, allow_ips: ['10.0.0.0/8'] })
    expect(limited.body).toMatchObject({ allow_ips: ['10.0.0.0/8'] })
    const lifted = await control.post('/_reference/keys/limit', { key, allow_ips: null })
    expect(lifted.body).not.toHaveProperty('allow_ips')
    expect((await control.post('/_reference/keys/limit', { key, allowIps: [] })).status).toBe(400)
  })

  it('revokes a key', async () => {
    const { control, key, caller } = await setUp()
    expect((await control.post('/_reference/keys/revoke', { key })).body).toMatchObject({ revoked: true })
    expect((await caller.get('/v1/models')).status).toBe(401)
    expect((await control.post('/_reference/keys/revoke', { key: 'sk_test_other' })).status).toBe(404)
  })
})
