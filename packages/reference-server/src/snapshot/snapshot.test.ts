import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const WITH_WEBHOOK = { webhook_url: 'http://receiver.test/' }

/** A server with a finished job, one that continues, and a result on its way. */
async function busyServer() {
  const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
  const client = apiCaller(server)
  server.script('aurora-image', [{ result: 'succeeded', webhook: { delay_ms: 60_000 } }])
  const delivered = await client.run('aurora-image', WITH_WEBHOOK)
  await server.clock.advance(10_000)
  const going = await client.run('lumen/aurora-video', { sync: false })
  return { server, client, deliveredId: String(delivered.body.job_id), goingId: String(going.body.job_id) }
}

describe('a snapshot', () => {
  afterEach(() => vi.useRealTimers())

  it('is plain JSON, and does not change with the server', async () => {
    const { server, goingId } = await busyServer()
    const snapshot = server.snapshot()
    const text = JSON.stringify(snapshot)
    expect(JSON.parse(text)).toEqual(snapshot)
    server.job(goingId).complete()
    expect(JSON.stringify(snapshot)).toBe(text)
  })

  it('is rejected while a condition is a function, which JSON cannot have', async () => {
    const server = createReferenceServer()
    const when = { input: () => true }
    server.script('aurora-image', [{ result: 'failed', when }])
    server.faults.add({ kind: 'reset', when })
    const message = 'cannot have the function `when.input` of an outcome of aurora-image, fault_1'
    expect(() => server.snapshot()).toThrow(message)
    server.faults.clear()
    await apiCaller(server).run('aurora-image', { sync: false })
    expect(server.snapshot().jobs).toHaveLength(1)
  })

  it('takes a server back to where it was, time and keys included', async () => {
    const { server, client, goingId } = await busyServer()
    const before = server.clock.now()
    const snapshot = server.snapshot()
    await client.delete(`/v1/jobs/${goingId}`)
    const { key } = server.createKey()
    await server.clock.advance(86_400_000)
    server.restore(snapshot)
    expect(server.snapshot()).toEqual(snapshot)
    expect(server.clock.now()).toBe(before)
    expect(await client.status(goingId)).toBe('queued')
    expect((await apiCaller(server, key).get('/v1/models')).status).toBe(401)
  })

  it('ends runs that are held as a reset does, and lets clients wait on', async () => {
    const { server, client } = await busyServer()
    const snapshot = server.snapshot()
    const held = client.run('aurora-image')
    const isOver = vi.fn()
    server.clock.setTimeout(isOver, 5_000)
    await server.clock.advance(1_000)
    server.restore(snapshot)
    expect((await held).body).toMatchObject({ status: 'cancelled' })
    await server.clock.advance(4_000)
    expect(isOver).toHaveBeenCalledOnce()
  })

  it('lets time pass for a server on a system clock that is not there, and for no other', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const system = createReferenceServer({ startTime: 0 })
    vi.setSystemTime(1_005_000)
    const snapshot = system.snapshot()
    vi.setSystemTime(1_065_000)
    const [real, scaled, manual] = (['system', { scale: 10 }, 'manual'] as const).map((clock) => {
      const server = createReferenceServer({ clock })
      server.restore(snapshot)
      return server.clock.now()
    })
    expect({ real, scaled, manual }).toEqual({ real: 65_000, scaled: 5_000, manual: 5_000 })
  })
})
