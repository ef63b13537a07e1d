import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failedDeliverySchema, succeededDeliverySchema } from '@modelrun/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import type { Deliver } from './receivers.ts'

const MODEL = 'aurora-image'
const URL = 'https://receiver.test/hook'
const cleanUps: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function setUp(options: ReferenceServerOptions = {}) {
  const bodies: ReturnType<typeof JSON.parse>[] = []
  const deliver = vi.fn<Deliver>(async (request) => {
    bodies.push(await request.json())
    return new Response()
  })
  const server = createReferenceServer({ clock: 'auto', deliver, ...options })
  cleanUps.push(() => server.close())
  return { server, deliver, bodies: () => bodies, caller: apiCaller(server) }
}

/** A receiver behind a real socket. */
async function receiver(listener: RequestListener): Promise<string> {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    http.close()
    http.closeAllConnections()
  })
  const { port } = http.address() as AddressInfo // it listens on a port
  return `http://127.0.0.1:${port}/hook`
}

describe('webhook', () => {
  it('gets the success delivery when the job succeeds (section 6)', async () => {
    const { server, caller, bodies } = setUp()
    const run = await caller.run(MODEL, { webhook_url: URL })
    const record = await server.webhooks.next()
    const body = {
      job_id: run.body.job_id,
      status: 'succeeded',
      output: { type: 'image', items: [{ type: 'image', url: expect.stringMatching(/^https:.*\/0\.png$/) }] },
      credits_used: 4,
      completed_at: '2026-01-01T00:00:04.000Z',
    }
    expect(bodies()).toEqual([body])
    expect(Object.keys(bodies()[0])).toEqual(Object.keys(body))
    expect(succeededDeliverySchema.safeParse(bodies()[0]).success).toBe(true)
    const at = Date.UTC(2026, 0, 1, 0, 0, 4)
    expect(record).toEqual({
      job_id: run.body.job_id,
      url: URL,
      attemptedAt: at,
      finishedAt: at,
      outcome: 'delivered',
      status: 200,
      body,
    })
    expect(server.webhooks.deliveries()).toEqual([record])
    expect(10_000 - server.credits()).toBe(body.credits_used)
    const poll = await caller.get(`/v1/jobs/${String(body.job_id)}`)
    expect(poll.body).toEqual({ data: { status: 'succeeded', output: bodies()[0].output } })
  })

  it('is called when a read of the status, or a test, ends the job', async () => {
    const { server, caller } = setUp({ clock: 'manual' })
    server.script(MODEL, [{ result: 'succeeded', after_polls: 1 }, { result: 'hang' }])
    const byRead = await caller.run(MODEL, { webhook_url: URL })
    const byHand = await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    expect(server.webhooks.deliveries()).toEqual([])
    await caller.status(byRead.body.job_id)
    await server.clock.advance(0)
    server.job(String(byHand.body.job_id)).fail()
    await server.webhooks.next()
    const failed = await server.webhooks.next()
    const error = { code: 'PROVIDER_FAILURE', message: expect.any(String) }
    expect(failed.body).toEqual({ job_id: byHand.body.job_id, status: 'failed', error })
    expect(failedDeliverySchema.safeParse(failed.body).success).toBe(true)
    expect(server.webhooks.deliveries().map(({ job_id }) => job_id)).toEqual([byRead.body.job_id, byHand.body.job_id])
  })

  it.each<{ times: number; when: string; options?: ReferenceServerOptions }>([
    { times: 1, when: 'fails for the first time' },
    { times: 0, when: 'fails, and the server has a log', options: { log: () => {} } },
  ])('warns $times times on the console when it $when', async ({ times, options }) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { server, caller, deliver } = setUp({ clock: 'manual', ...options })
    deliver.mockRejectedValue(new Error('connect ECONNREFUSED'))
    for (let run = 0; run < 2; run++) await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    expect(warn.mock.calls.map(String)).toEqual(
      Array(times).fill(expect.stringContaining(`a result did not reach ${URL}: connect ECONNREFUSED`)),
    )
    warn.mockRestore()
  })
})

describe('webhook receiver behind a real socket', () => {
  it.each(['auto', 'manual'] as const)('is not timed out by %s time, which waits for it', async (clock) => {
    const { server, caller } = setUp({ clock, deliver: fetch })
    let received = ''
    const url = await receiver((request, response) => {
      request.setEncoding('utf8').on('data', (text) => {
        received += text
      })
      request.on('end', () => setImmediate(() => response.writeHead(202).end('thanks')))
    })
    const { body } = await caller.run(MODEL, { webhook_url: url })
    if (clock === 'manual') await server.clock.advance(60_000)
    const record = await server.webhooks.next()
    expect(record).toMatchObject({ outcome: 'delivered', status: 202, job_id: body.job_id })
    expect(record.finishedAt).toBe(record.attemptedAt)
    expect(JSON.parse(received)).toEqual(record.body)
  })

  it.each(['auto', 'manual'] as const)(
    'that never responds times out after 10 s of %s time (section 8)',
    async (clock) => {
      const { server, caller } = setUp({ clock, deliver: fetch })
      const url = await receiver(() => {})
      await caller.run(MODEL, { webhook_url: url })
      if (clock === 'manual') await server.clock.advance(60_000)
      const record = await server.webhooks.next()
      expect(record.outcome).toBe('timeout')
      expect(record.finishedAt - record.attemptedAt).toBe(10_000)
    },
  )
})

describe('reset and close of the server', () => {
  it.each(['reset', 'close'] as const)('%s takes back deliveries that wait or are on their way', async (end) => {
    const signals: AbortSignal[] = []
    const deliver = vi.fn<Deliver>(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { server, caller } = setUp({ clock: 'manual', deliver, assumptions: { cancelledJobWebhook: 'sent' } })
    server.script(MODEL, [
      { result: 'succeeded', after_ms: 1 },
      { result: 'succeeded', after_ms: 1, webhook: { delay_ms: 100 } },
      { result: 'hang' },
    ])
    for (let run = 0; run < 3; run++) await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(1)
    await server[end]()
    expect(signals.map((signal) => signal.aborted)).toEqual([true])
    await server.clock.advance(60_000)
    expect(deliver).toHaveBeenCalledOnce()
    expect(server.webhooks.deliveries()).toEqual([])
  })
})
