import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

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
