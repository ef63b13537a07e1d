import { describe, expect, it, vi } from 'vitest'
import { apiCaller, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const SLOW_MODEL = 'lumen/aurora-video' // 90 s

describe('the server under fake timers', () => {
  it('jumps as ever with an auto clock', async () => {
    vi.useFakeTimers()
    const { server, caller } = openServer({ clock: 'auto', deliver: async () => new Response() })
    expect((await caller.run(SLOW_MODEL)).status).toBe(202)
    const { body } = await caller.run(SLOW_MODEL, { webhook_url: 'https://receiver.test/' })
    expect(await server.webhooks.next({ jobId: String(body.job_id) })).toMatchObject({ outcome: 'delivered' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('goes by them with a system clock', async () => {
    vi.useFakeTimers()
    const server = createReferenceServer()
    const run = apiCaller(server).run(SLOW_MODEL)
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { timeout: 100_000 })
    await vi.advanceTimersByTimeAsync(55_000)
    expect((await run).status).toBe(202)
  })

  it('says once why calls hang when queueMicrotask is faked, as it is by default in Jest', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    vi.useFakeTimers({ toFake: ['queueMicrotask'] })
    const server = createReferenceServer({ clock: 'auto' })
    for (let call = 0; call < 2; call++) expect((await server.fetch('/v1/models')).status).toBe(401)
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("doNotFake: ['queueMicrotask', 'nextTick']"))
  })
})
