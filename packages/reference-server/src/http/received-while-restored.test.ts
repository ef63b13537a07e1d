import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { Snapshot } from '../snapshot/snapshot-schema.ts'

const PRICE = 4
const RUN = new TextEncoder().encode(JSON.stringify({ input: { prompt: 'a fox' }, sync: false }))

/** A run whose head has arrived, and whose body comes when `send` is called. */
async function startRun(server: ReferenceServer, key = server.apiKey) {
  let send = () => {}
  let started = () => {}
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve
  })
  const body = new ReadableStream<Uint8Array>(
    {
      // Called when the server reads the body, which is after it has checked the key.
      pull: (controller) => {
        send = () => {
          controller.enqueue(RUN)
          controller.close()
        }
        started()
      },
    },
    { highWaterMark: 0 },
  )
  // `duplex` is asked for by the platform for streams; its types do not know it yet.
  const init: RequestInit = { body, ...{ duplex: 'half' } }
  const response = apiCaller(server, key).call('POST', '/v1/models/aurora-image/run', init)
  await Promise.race([hasStarted, response]) // a key that is not known is rejected before the body is read
  return { response, send: () => send() }
}

function charged(snapshot: Snapshot): number {
  return snapshot.accounts.reduce((sum, { credits }) => sum + credits.charged, 0)
}

function succeeded(snapshot: Snapshot): number {
  return snapshot.jobs.filter(({ end }) => end?.status === 'succeeded').length
}

describe('a run that is being received', () => {
  it('is of the account that its key has when its body has come', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const empty = server.snapshot()
    const run = await startRun(server)
    server.restore(empty)
    run.send()
    const { status, body } = await run.response
    expect([status, await apiCaller(server).status(body.job_id)]).toEqual([202, 'queued'])
    await server.clock.advance(60_000)
    expect(server.credits()).toBe(10_000 - PRICE)
    expect(() => server.restore(server.snapshot())).not.toThrow()
  })

  it('is rejected when its key has gone with the state, or was revoked (section 5)', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const without = server.snapshot()
    const { key } = server.createKey()
    const gone = await startRun(server, key)
    server.restore(without)
    gone.send()
    const received = await gone.response
    expect([received.status, errorOf(received).code]).toEqual([401, 'UNAUTHORIZED'])
    expect(errorOf(received).message).toContain('not known here')

    const revoked = await startRun(server)
    server.revokeKey(server.apiKey)
    revoked.send()
    expect(errorOf(await revoked.response).message).toContain('revoked')
    expect(server.snapshot().jobs).toEqual([])
  })

  it('is of its account after a reset', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const run = await startRun(server)
    server.reset()
    run.send()
    expect((await run.response).status).toBe(202)
    expect(server.report().unfinishedJobs).toHaveLength(1)
  })
})

describe('a server that is restored again and again', () => {
  it('has exact credits and snapshots that can be restored, with 16 clients at work', async () => {
    const server = createReferenceServer({
      clock: { scale: 500 },
      credits: 1_000_000,
      deliver: async () => new Response(),
    })
    const { run } = apiCaller(server)
    for (let count = 0; count < 5; count++) await run('aurora-image', { sync: false })
    const { key } = server.createKey({ credits: 1_000_000 })
    const states = [server.snapshot()]
    let isOver = false
    const clients = Array.from({ length: 16 }, async (_, index) => {
      while (!isOver) {
        const owner = index % 2 === 0 ? server.apiKey : key
        const { response, send } = await startRun(server, owner)
        // Some bodies come soon, some late; some runs are held, some have a webhook.
        await new Promise((resolve) => (index % 3 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)))
        send()
        await response
        if (index % 5 === 0) await apiCaller(server, owner).run('aurora-image')
        if (index % 7 === 0)
          await apiCaller(server, owner).run('aurora-image', { webhook_url: 'http://receiver.test/' })
      }
    })
    for (let round = 0; round < 60; round++) {
      await new Promise((resolve) => setTimeout(resolve, round % 4))
      if (round % 6 === 5) server.reset(round % 12 === 5 ? key : undefined)
      else server.restore(states[round % states.length] ?? server.snapshot())
      const snapshot = server.snapshot()
      expect(charged(snapshot)).toBe(PRICE * succeeded(snapshot))
      expect(() => createReferenceServer({ clock: 'manual' }).restore(snapshot)).not.toThrow()
      if (round % 5 === 0) states.push(snapshot)
    }
    isOver = true
    await Promise.all(clients)
    const last = server.snapshot()
    expect(charged(last)).toBe(PRICE * succeeded(last))
    expect(() => createReferenceServer({ clock: 'manual' }).restore(last)).not.toThrow()
    await server.close()
  })

  it('gives a delivery to the reader that has waited for one of its key', async () => {
    const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
    const { key } = server.createKey()
    const next = server.webhooks.next({ key, timeoutMs: 5_000 })
    server.restore(server.snapshot())
    const { body } = await apiCaller(server, key).run('aurora-image', { webhook_url: 'http://receiver.test/' })
    await server.clock.advance(60_000)
    expect((await next).job_id).toBe(body.job_id)
  })
})
