import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('limitKey', () => {
  it('takes permissions away and gives them back, and leaves the rest as it is', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const { key } = server.createKey({ credits: 10 })
    const caller = apiCaller(server, key)
    server.limitKey(key, { permissions: ['models:read'] })
    expect([(await caller.run(MODEL)).status, (await caller.get('/v1/models')).status]).toEqual([403, 200])
    server.limitKey(key, { permissions: ['models:run'] })
    expect([(await caller.run(MODEL)).status, server.credits(key)]).toEqual([200, 6])
  })

  it('sets what new runs can spend, beside unfinished runs, and what a reset gives', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { key } = server.createKey({ credits: 100 })
    const caller = apiCaller(server, key)
    await caller.run(MODEL, { sync: false })
    server.limitKey(key, { credits: 4 })
    expect((await caller.run(MODEL, { sync: false })).status).toBe(202)
    expect((await caller.run(MODEL, { sync: false })).status).toBe(402)
    await server.clock.advance(60_000)
    expect([server.credits(key), (await caller.run(MODEL, { sync: false })).status]).toEqual([0, 402])
    server.reset(key)
    expect(server.credits(key)).toBe(4)
  })

  it('rejects wrong limits as a whole', async () => {
    const server = createReferenceServer()
    const { key } = server.createKey({ credits: 5 })
    expect(() => server.limitKey(key, { credits: 1, allowIps: ['nowhere'] })).toThrow(
      '`limits` of `server.limitKey` is wrong: /allowIps/0 is not valid (neither an IP address nor a network',
    )
    expect(() => server.limitKey(key, { credits: -1 })).toThrow('/credits must be 0 or more')
    expect(() => server.limitKey('sk_test_other', {})).toThrow('did not make that API key')
    expect(server.credits(key)).toBe(5)
  })
})
