import type { ResultReceiver } from 'modelrun'
import { createInbox, type DeliveryContext, type InboxOptions, type WebhookEvent } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Connection, openSocket } from './transports.ts'
import { type ReceivingServer, startReceiver } from './webhook-receiver.ts'

const MODEL = 'aurora-image'
const SECRET = 'a secret of thirty-two bytes, or more'

describe('runs whose results an inbox receives, over real sockets', () => {
  let connection: Connection
  let receiver: ReceivingServer | undefined

  beforeEach(async () => {
    connection = await openSocket({ clock: 'system', latency: 0 })
  })

  afterEach(async () => {
    receiver?.close()
    await connection.close()
  })

  /** An inbox that is reached at a real address, and what its handler was given. */
  async function openInbox(options: InboxOptions = {}) {
    const handled: [event: WebhookEvent, context: DeliveryContext][] = []
    // The address is known when the server listens, and the inbox wants to know it.
    let listener: ReturnType<ReturnType<typeof createInbox>['node']> | undefined
    receiver = await startReceiver((request, response) => void listener?.(request, response))
    const inbox = createInbox({
      client: connection.client,
      secret: SECRET,
      publicUrl: receiver.url,
      onSucceeded: (...call) => handled.push(call),
      ...options,
    })
    listener = inbox.node()
    return { inbox, handled }
  }

  it('signs the address, knows the job, and hands the result to its handler once', async () => {
    const { inbox, handled } = await openInbox()
    connection.server.script(MODEL, [{ result: 'succeeded', webhook: { deliveries: 3 } }])
    const job = await connection.client.submit(MODEL, { prompt: 'a red fox' }, { webhook: inbox })
    const deliveries = [await connection.server.webhooks.next(), await connection.server.webhooks.next()]
    const event = await inbox.waitFor(job.id)
    expect(event).toMatchObject({ job_id: job.id, status: 'succeeded' })
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
    expect(handled).toMatchObject([[event, { source: 'webhook', attempt: 1, idempotencyKey: job.id }]])
    await inbox.drain()
  })

  it('finds the result of a delivery that never came, for a job of which only the caller knows', async () => {
    const missed: unknown[] = []
    const { inbox, handled } = await openInbox({ onWebhookMissed: (notice) => missed.push(notice) })
    connection.server.script(MODEL, [{ result: 'succeeded', webhook: { deliveries: 0 } }])
    const webhookUrl = await inbox.callbackUrl()
    const job = await connection.client.submit(MODEL, { prompt: 'x' }, { webhookUrl })
    await job.result()
    const waiting = inbox.waitFor(job.id)
    await inbox.expect(job.id, { pollInMs: 0 })
    await inbox.sweep()
    await expect(waiting).resolves.toMatchObject({ status: 'succeeded', output: { type: 'image' } })
    expect(handled).toMatchObject([[{ job_id: job.id }, { source: 'poll' }]])
    expect(missed).toHaveLength(1)
    await inbox.drain()
  })

  it('resolves a run by its delivery, without a poll of the job', async () => {
    const { inbox, handled } = await openInbox({ client: undefined })
    const requests: string[] = []
    const client = connection.connect({
      fetch: (url, init) => {
        requests.push(`${init.method} ${new URL(url).pathname}`)
        return connection.fetch(url, init)
      },
    })
    const result = await client.run(MODEL, { prompt: 'x' }, { webhook: inbox })
    expect(result.output.items).toHaveLength(1)
    expect(requests).toEqual([`POST /v1/models/${MODEL}/run`])
    await inbox.waitFor(result.job_id)
    expect(handled).toMatchObject([[{ job_id: result.job_id }, { source: 'webhook' }]])
    await inbox.drain()
  })

  it('resolves a run by a poll when its delivery does not come, and the handler runs all the same', async () => {
    const { inbox, handled } = await openInbox({ expectedAfterMs: 1 })
    connection.server.script(MODEL, [{ result: 'succeeded', webhook: { deliveries: 0 } }])
    const { job_id, output } = await connection.client.run(MODEL, { prompt: 'x' }, { webhook: inbox })
    await inbox.waitFor(job_id)
    expect(handled).toMatchObject([[{ job_id, output }, { source: 'poll' }]])
    await inbox.drain()
  })

  it('knows a run whose response was lost by the address of its delivery', async () => {
    const { inbox, handled } = await openInbox()
    const client = connection.connect({
      fetch: async (...request) => {
        await connection.fetch(...request)
        throw new TypeError('fetch failed')
      },
    })
    const webhook: ResultReceiver = {
      ...inbox,
      prepare: (run) => inbox.prepare({ ...run, context: { order: 7 } }),
    }
    const run = client.run(MODEL, { prompt: 'x' }, { webhook })
    await expect(run).rejects.toMatchObject({ submission: 'unknown' })
    const { outcome } = await connection.server.webhooks.next()
    expect(outcome).toBe('delivered')
    await vi.waitFor(() => expect(handled).toHaveLength(1), { timeout: 100_000 })
    const [[event, context] = []] = handled
    expect([event?.status, context?.context]).toEqual(['succeeded', { order: 7 }])
    await inbox.waitFor(event?.job_id ?? '')
    await inbox.drain()
  })
})
