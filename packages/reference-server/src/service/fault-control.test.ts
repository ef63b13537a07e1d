import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

it('returns a handle that counts how often the fault was applied, and removes it', async () => {
  const server = createReferenceServer({ clock: 'manual' })
  const api = apiCaller(server)
  const fault = server.faults.add({ kind: 'server-error' })
  expect([fault.id, fault.used, fault.unused]).toEqual(['fault_1', 0, true])
  await api.get('/v1/models')
  expect([fault.used, fault.unused]).toEqual([1, false])
  fault.remove()
  expect([(await api.get('/v1/models')).status, server.faults.list()]).toEqual([200, []])
})

it('keeps a fault as it was when it was added', () => {
  const server = createReferenceServer({ clock: 'manual' })
  const options = { kind: 'reset' as const, times: 1 }
  server.faults.add(options)
  options.times = 5
  expect(server.faults.list()[0]?.fault).toEqual({ kind: 'reset', times: 1 })
})

it('forgets the faults of an account with its reset', () => {
  const server = createReferenceServer({ clock: 'manual' })
  const { key } = server.createKey()
  server.faults.add({ kind: 'reset' }, key)
  server.faults.add({ kind: 'reset' })
  server.reset(key)
  expect([server.faults.list(key).length, server.faults.list().length]).toEqual([0, 1])
})
