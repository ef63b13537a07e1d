import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL } from '../../test/api-caller.ts'
import { webhookServer } from '../../test/webhook-server.ts'

const URL = 'https://receiver.test/hook'

describe('webhook lab', () => {
  it('sends a duplicate some time after the first delivery (section 6, rule 3)', async () => {
    const { server, caller, seen } = webhookServer()
    const start = server.clock.now()
    const webhook = { deliveries: 3, delay_ms: 100, gap_ms: 60_000 }
    server.script(MODEL, [{ result: 'succeeded', after_ms: 1_000, webhook }])
    await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(200_000)
    const offsets = server.webhooks.deliveries().map(({ attemptedAt }) => attemptedAt - start)
    expect(offsets).toEqual([1_100, 61_100, 121_100])
    expect(new Set(seen).size).toBe(1)
  })

  it('delivers before the run gets its response, which is held until then', async () => {
    const { server, caller, seen } = webhookServer()
    server.script(MODEL, [{ result: 'failed', after_ms: 500, webhook: { when: 'before-response', deliveries: 2 } }])
    const run = caller
      .run(MODEL, { webhook_url: URL, sync: false })
      .then(({ body }) => seen.push(`response: ${body.status}`))
    await server.clock.advance(499)
    expect(seen).toEqual([])
    await server.clock.advance(1)
    await run
    const delivery = expect.stringMatching('delivery: failed')
    expect(seen).toEqual([delivery, delivery, 'response: queued'])
  })

  it.each(['cancelled', 'reset', 'closed', 'hanging', 'lost'])(
    'does not hold the response for ever when the job is %s',
    async (how) => {
      const { server, caller, seen } = webhookServer({ clock: how === 'lost' ? 'auto' : 'manual' })
      const result = how === 'hanging' ? 'hang' : 'succeeded'
      const deliveries = how === 'lost' ? 0 : 1
      server.script(MODEL, [{ result, after_ms: 1_000, webhook: { when: 'before-response', deliveries } }])
      const run = caller.run(MODEL, { webhook_url: URL })
      await server.clock.advance(10)
      if (how === 'reset') server.reset()
      if (how === 'closed') await server.close()
      if (how === 'cancelled') await caller.delete(`/v1/jobs/${server.report().unfinishedJobs[0]?.job_id}`)
      expect((await run).status).toBe(how === 'closed' ? 503 : 202)
      expect(seen).toEqual([])
    },
  )

  it('delivers all results of an account in a way of its own, until it is reset', async () => {
    const { server, caller, seen } = webhookServer()
    const { key } = server.createKey()
    server.webhooks.script({ deliveries: 2 }, key)
    server.script(MODEL, [{ result: 'succeeded', webhook: {} }], key)
    for (const client of [caller, apiCaller(server, key), apiCaller(server, key)])
      await client.run(MODEL, { webhook_url: URL })
    await server.clock.advance(10_000)
    expect([seen.length, server.webhooks.deliveries(key).length]).toEqual([4, 3])
    server.reset(key)
    await apiCaller(server, key).run(MODEL, { webhook_url: URL })
    await server.clock.advance(10_000)
    expect(server.webhooks.deliveries(key)).toHaveLength(1)
    expect(() => server.webhooks.script({ deliveries: -1 })).toThrow(/webhooks\.script` is wrong: \/deliveries/)
  })

  it('gives one account a receiver of its own', async () => {
    const { server, caller, seen } = webhookServer()
    const { key } = server.createKey()
    const received: unknown[] = []
    const receive = async (request: Request) => {
      received.push(request.method, request.redirect, request.headers.get('content-type'), await request.json())
      return new Response(null, { status: 418 })
    }
    server.webhooks.deliver(receive, key)
    const { body } = await apiCaller(server, key).run(MODEL, { webhook_url: URL })
    await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(10_000)
    const expected = ['POST', 'manual', 'application/json', expect.objectContaining({ job_id: body.job_id })]
    expect(received).toEqual(expected)
    expect(server.webhooks.deliveries(key)).toMatchObject([{ outcome: 'rejected', status: 418 }])
    expect(seen).toHaveLength(1)
  })
})

describe('server.webhooks.next', () => {
  it('finds the delivery of a job or an account, whatever came first', async () => {
    const { server, caller } = webhookServer()
    const { key } = server.createKey()
    const [one, two] = [await caller.run(MODEL, { webhook_url: URL }), await caller.run(MODEL, { webhook_url: URL })]
    const other = await apiCaller(server, key).run(MODEL, { webhook_url: URL })
    await server.clock.advance(10_000)
    expect(await server.webhooks.next({ key })).toMatchObject({ job_id: other.body.job_id })
    expect(await server.webhooks.next({ jobId: String(two.body.job_id) })).toMatchObject({ job_id: two.body.job_id })
    expect(await server.webhooks.next({ timeoutMs: 1 })).toMatchObject({ job_id: one.body.job_id })
  })

  it('says after a while of real time what is missing, and rejects when the server closes', async () => {
    const { server, caller } = webhookServer()
    await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(10_000)
    await expect(server.webhooks.next({ jobId: 'job_none', timeoutMs: 5 })).rejects.toThrow(
      /No webhook delivery of job job_none finished within 5 ms of real time. Not read yet: those of job_/,
    )
    expect((await server.webhooks.next({ timeoutMs: 5 })).outcome).toBe('delivered')
    const next = server.webhooks.next()
    await server.close()
    await expect(next).rejects.toThrow('was closed')
    await expect(server.webhooks.next()).rejects.toThrow('was closed')
  })
})
