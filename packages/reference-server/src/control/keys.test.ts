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

  it('limits a key', async () => {
    const { control, key, caller } = await setUp()
    const limited = await control.post('/_reference/keys/limit', { key, credits: 3, permissions: ['models:run'] })
    expect(limited.body).toMatchObject({ permissions: ['models:run'], credits: { left: 3, available: 3 } })
    expect([(await caller.run(MODEL)).status, (await caller.get('/v1/models')).status]).toEqual([402, 403])
    expect((await control.post('/_reference/keys/limit', { key, allow_ips: ['nowhere'] })).status).toBe(400)
    expect((await control.post('/_reference/keys/limit', { key: 'sk_test_other' })).status).toBe(404)
  })

  it('limits the addresses of a key, and lifts the limit with null', async () => {
    const { control, key } = await setUp()
    const limited = await control.post('/_reference/keys/limit', { key, allow_ips: ['10.0.0.0/8'] })
    expect(limited.body).toMatchObject({ allow_ips: ['10.0.0.0/8'] })
    const lifted = await control.post('/_reference/keys/limit', { key, allow_ips: null })
    expect(lifted.body).not.toHaveProperty('allow_ips')
    expect((await control.post('/_reference/keys/limit', { key, allowIps: [] })).status).toBe(400)
  })

  it('rotates a key: the new one has the jobs and credits of the old one', async () => {
    const { control, key, caller, server } = await setUp()
    const { body } = await caller.run(MODEL)
    const rotated = await control.post('/_reference/keys/rotate', { key })
    const rotatedCaller = apiCaller(server, String(rotated.body.key))
    expect([(await caller.get('/v1/models')).status, await rotatedCaller.status(body.job_id)]).toEqual([
      401,
      'succeeded',
    ])
    expect((await control.post('/_reference/keys/rotate', { key })).status).toBe(409)
    expect((await control.post('/_reference/keys/rotate', { key: 'sk_test_other' })).status).toBe(404)
  })

  it('revokes a key', async () => {
    const { control, key, caller } = await setUp()
    expect((await control.post('/_reference/keys/revoke', { key })).body).toMatchObject({ revoked: true })
    expect((await caller.get('/v1/models')).status).toBe(401)
    expect((await control.post('/_reference/keys/revoke', { key: 'sk_test_other' })).status).toBe(404)
  })
})
