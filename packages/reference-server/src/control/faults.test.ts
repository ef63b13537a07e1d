import { expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

function setUp() {
  const server = createReferenceServer({ clock: 'manual' })
  const key = server.createKey().key
  return { server, api: apiCaller(server), key, other: apiCaller(server, key) }
}

it('adds, lists and removes the faults of an account over HTTP', async () => {
  const { api, key, other } = setUp()
  const fault = { kind: 'server-error', route: 'listModels', times: 2 }
  expect((await api.post('/_reference/faults', { ...fault, key })).body).toEqual({ id: 'fault_1' })
  expect([(await api.get('/v1/models')).status, (await other.get('/v1/models')).status]).toEqual([200, 500])
  expect((await api.get(`/_reference/faults?key=${key}`)).body).toEqual({
    faults: [{ id: 'fault_1', fault, used: 1, unused: true }],
  })
  expect((await api.get('/_reference/faults')).body).toEqual({ faults: [] })
  expect((await api.delete(`/_reference/faults?id=fault_1&key=${key}`)).body).toEqual({ removed: 1 })
  expect((await other.get('/v1/models')).status).toBe(200)
})

it('removes all faults of an account at once', async () => {
  const { api } = setUp()
  await api.post('/_reference/faults', { kind: 'reset' })
  await api.post('/_reference/faults', { kind: 'hang' })
  expect((await api.delete('/_reference/faults')).body).toEqual({ removed: 2 })
  expect((await api.get('/v1/models')).status).toBe(200)
})

it('says what is wrong with a fault, a key and an id', async () => {
  const { api } = setUp()
  const misnamed = await api.post('/_reference/faults', { kind: 'rest' })
  expect([misnamed.status, errorOf(misnamed).message]).toEqual([
    400,
    expect.stringContaining('Invalid fault: /kind must be "reset" or '),
  ])
  expect((await api.post('/_reference/faults', { kind: 'reset', key: 'sk_test_wrong' })).status).toBe(404)
  const unknown = await api.delete('/_reference/faults?id=fault_7')
  expect([unknown.status, errorOf(unknown).message]).toEqual([404, 'This account has no fault "fault_7".'])
})
