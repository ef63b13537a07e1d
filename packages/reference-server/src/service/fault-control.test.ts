import { expect, it } from 'vitest'
import { openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

it('returns a handle that counts how often the fault was applied, and removes it', async () => {
  const { server, caller: api } = openServer({ clock: 'manual' })
  const fault = server.faults.add({ kind: 'server-error' })
  const twice = server.faults.add({ kind: 'reset', times: 2 })
  expect([fault.id, fault.used, fault.unused]).toEqual(['fault_1', 0, true])
  await api.get('/v1/models')
  expect([fault.used, fault.unused]).toEqual([1, false])
  expect([twice.used, twice.unused]).toEqual([0, true])
  fault.remove()
  twice.remove()
  expect([(await api.get('/v1/models')).status, server.faults.list()]).toEqual([200, []])
})

it('keeps a fault as it was when it was added', () => {
  const server = createReferenceServer({ clock: 'manual' })
  const options = { kind: 'reset' as const, times: 1 }
  server.faults.add(options)
  options.times = 5
  expect(server.faults.list()[0]?.fault).toEqual({ kind: 'reset', times: 1 })
})
