import { json } from 'node:stream/consumers'
import { runInNewContext } from 'node:vm'
import { failedDeliverySchema, succeededDeliverySchema } from '@modelrun/contract'
import { describe, expect, it, vi } from 'vitest'
import { serveInTest } from '../../../kit/test/serve-in-test.ts'
import { webhookServer } from '../../test/webhook-server.ts'
import { Activity } from '../clock/activity.ts'
import { createAutoClock } from '../clock/virtual-clock.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import type { Deliver } from './receivers.ts'

const MODEL = 'aurora-image' // 4 s
const URL = 'https://receiver.test/hook'

describe('webhook', () => {
  it('gets the success delivery when the job succeeds (section 6)', async () => {
    const { server, caller, bodies } = webhookServer({ clock: 'auto' })
    const run = await caller.run(MODEL, { webhook_url: URL })
    const record = await server.webhooks.next()
    const body = {
      job_id: run.body.job_id,
      status: 'succeeded',
      output: { type: 'image', items: [{ type: 'image', url: expect.stringMatching(/^https:.*\/0\.png$/) }] },
      credits_used: 4,
      completed_at: '2026-01-01T00:00:04.000Z',
    }
    expect(bodies).toEqual([body])
    expect(Object.keys(bodies[0])).toEqual(Object.keys(body))
    expect(succeededDeliverySchema.safeParse(bodies[0]).success).toBe(true)
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
    expect(poll.body).toEqual({ data: { status: 'succeeded', output: bodies[0].output } })
  })

  it('is called when a read of the status, or a test, ends the job', async () => {
    const { server, caller } = webhookServer()
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

  const lines: string[] = []
  it.each<{ times: number; when: string; options?: ReferenceServerOptions }>([
    { times: 1, when: 'fails for the first time' },
    { times: 0, when: 'fails, and the server has a log', options: { log: (line) => lines.push(line) } },
  ])('warns $times times on the console when it $when', async ({ times, options }) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { server, caller, deliver } = webhookServer(options)
    // The receiver does not control the terminal.
    deliver.mockRejectedValue(new Error('connect \u001b\u202eECONNREFUSED'))
    for (let run = 0; run < 2; run++) await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    if (times === 0) expect(lines.join()).toContain(`${URL} connect  ECONNREFUSED`)
    expect(warn.mock.calls.map(String)).toEqual(
      Array(times).fill(expect.stringContaining(`a result did not reach ${URL}: connect  ECONNREFUSED`)),
    )
  })
})

const failed = { cause: new Error('connect ECONNREFUSED') }
const statuses = (outcome: DeliveryRecord['outcome'], list: number[]): [string, Partial<DeliveryRecord>, Deliver][] =>
  list.map((status) => [`the status ${status}`, { outcome, status }, () => new Response(null, { status })])

describe('the record of a delivery', () => {
  it.each<[string, Partial<DeliveryRecord>, Deliver]>([
    ...statuses('delivered', [200, 201, 202, 299]),
    ...statuses('rejected', [301, 304, 307, 400, 401, 404, 429, 500, 503]),
    [
      'a reason',
      { outcome: 'rejected', status: 400, reason: 'too large' },
      () => new Response('too large', { status: 400 }),
    ],
    [
      'an error',
      { outcome: 'network_error', reason: 'fetch failed: connect ECONNREFUSED' },
      () => Promise.reject(new TypeError('fetch failed', failed)),
    ],
    [
      'an error of another realm, such as those of Node under Jest',
      { outcome: 'network_error', reason: 'fetch failed: reset' },
      () => Promise.reject(runInNewContext(`new TypeError('fetch failed', { cause: new Error('reset') })`)),
    ],
    [
      'an error at once',
      { outcome: 'network_error', reason: 'boom' },
      () => {
        throw new Error('boom')
      },
    ],
    [
      'nothing returned',
      { outcome: 'network_error', reason: 'the receiver returned no Response' },
      () => undefined as unknown as Response,
    ],
  ])('has for %s: %j (section 6, rule 1)', async (_, expected, deliver) => {
    const { server, caller } = webhookServer({ deliver, log: () => {} })
    await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    const [{ outcome, status, reason } = {}] = server.webhooks.deliveries()
    expect({ outcome, status, reason }).toEqual(expected)
  })

  it('does not need the body of a response, which is cancelled', async () => {
    const cancel = vi.fn()
    const { server, caller } = webhookServer({ deliver: () => new Response(new ReadableStream({ cancel })) })
    await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    expect(cancel).toHaveBeenCalledOnce()
  })
})

describe('webhook receiver in real time', () => {
  it.each(['auto', 'manual'] as const)('is not timed out by %s time, which waits for it', async (clock) => {
    const { server, caller } = webhookServer({ clock, deliver: fetch })
    let received: unknown
    const url = await serveInTest(async (request, response) => {
      received = await json(request)
      setImmediate(() => response.writeHead(202).end('thanks'))
    })
    const { body } = await caller.run(MODEL, { webhook_url: url })
    if (clock === 'manual') await server.clock.advance(60_000)
    const record = await server.webhooks.next()
    expect(record).toMatchObject({ outcome: 'delivered', status: 202, job_id: body.job_id })
    expect(record.finishedAt).toBe(record.attemptedAt)
    expect(received).toEqual(record.body)
  })

  it('has more real time to respond than other work that stays silent', async () => {
    const ended: string[] = []
    const deliver = () => {
      const activity = new Activity()
      activity.start()
      createAutoClock(0, activity).setTimeout(() => ended.push('other work'), 10_000)
      return new Promise<Response>(() => {})
    }
    const { server, caller } = webhookServer({ clock: 'auto', deliver, log: () => {} })
    await caller.run(MODEL, { webhook_url: URL })
    ended.push((await server.webhooks.next()).outcome)
    expect(ended).toEqual(['other work', 'timeout'])
  })

  it.each(['auto', 'manual'] as const)(
    'that never responds times out after 10 s of %s time (section 8)',
    async (clock) => {
      const { server, caller } = webhookServer({ clock, deliver: fetch })
      const url = await serveInTest(() => {})
      await caller.run(MODEL, { webhook_url: url })
      if (clock === 'manual') await server.clock.advance(60_000)
      const record = await server.webhooks.next()
      expect(record.outcome).toBe('timeout')
      expect(record.finishedAt - record.attemptedAt).toBe(10_000)
    },
  )
})

it.each(['reset', 'close'] as const)(
  'reset and close of the server %s takes back deliveries that wait or are on their way',
  async (end) => {
    const signals: AbortSignal[] = []
    const deliver = vi.fn<Deliver>(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { server, caller } = webhookServer({ deliver, assumptions: { cancelledJobWebhook: 'sent' } })
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
  },
)
