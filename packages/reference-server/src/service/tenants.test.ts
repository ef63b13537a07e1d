import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('tenants', () => {
  it('have jobs, credits and scripts of their own', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const { key } = server.createKey({ credits: 4 })
    server.script(MODEL, [{ result: 'failed', after_ms: 1 }])
    const other = await apiCaller(server, key).run(MODEL)
    expect(other.body.status).toBe('completed')
    expect([server.credits(), server.credits(key)]).toEqual([10_000, 0])
    expect(await apiCaller(server).status(other.body.job_id)).toBeUndefined()
    expect((await apiCaller(server).run(MODEL)).body.status).toBe('failed')
  })

  it('keep their account when their key is rotated (section 5.6)', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const { key } = server.createKey({ credits: 10, permissions: ['models:run', 'jobs:read'] })
    const { body } = await apiCaller(server, key).run(MODEL)
    const rotated = server.rotateKey(key)
    expect(server.snapshot().keys.at(-1)?.permissions).toEqual(['models:run', 'jobs:read'])
    expect(() => server.rotateKey(key)).toThrow('revoked')
    expect(server.credits(rotated.key)).toBe(6)
    expect(await apiCaller(server, rotated.key).status(body.job_id)).toBe('succeeded')
  })

  it('are rejected with an error that says why, or an Error for an unknown key', () => {
    const server = createReferenceServer()
    const wrong: object = { permissions: ['all'] }
    expect(() => server.createKey(wrong)).toThrow(
      /`options` of `server.createKey` is wrong: \/permissions\/0 must be "models:read" or/,
    )
    expect(() => server.createKey({ credits: 0.5 })).toThrow(ConfigurationError)
    expect(() => server.createKey({ allowIps: ['x'] })).toThrow(ConfigurationError)
    expect(() => server.script('none', [])).toThrow('`outcomes` of `server.script` is wrong: There is no model "none"')
    expect(() => server.script(MODEL, [{ result: 'succeeded', after_ms: Number.NaN }])).toThrow('/0/after_ms must be')
    expect(() => server.script(MODEL, [{ result: 'succeeded', after_ms: -1 }])).toThrow('/0/after_ms must be 0 or more')
    for (const use of [server.credits, server.revokeKey, server.rotateKey, server.reset]) {
      expect(() => use('sk_test_none')).toThrow('did not make that API key')
    }
  })

  it('are reset one by one or all, runs that are held included', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { key } = server.createKey()
    const [mine, other] = [apiCaller(server), apiCaller(server, key)]
    const held = other.run(MODEL)
    const running = await mine.run(MODEL, { sync: false })
    await server.clock.advance(1_000)
    server.script(MODEL, [{ result: 'failed' }], key)
    server.reset(key)
    expect((await held).body.status).toBe('cancelled')
    expect(await mine.status(running.body.job_id)).toBe('processing')
    const next = other.run(MODEL)
    await server.clock.advance(4_000)
    expect((await next).body.status).toBe('completed')
    server.reset()
    expect(await mine.status(running.body.job_id)).toBeUndefined()
    expect([server.credits(), server.credits(key)]).toEqual([10_000, 10_000])
  })
})
