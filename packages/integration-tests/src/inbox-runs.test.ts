import { createInbox, type DeliveryContext, type InboxOptions, type WebhookEvent } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, openSocket } from './transports.ts'
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const MODEL = 'aurora-image'
const SECRET = 'a secret of thirty-two bytes, or more'

describe('runs whose results an inbox receives, over real sockets', () => {
  let connection: Connection
  let receiver: WebhookReceiver | undefined

  beforeEach(async () => {
    connection = await openSocket()
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

  it('refuses a delivery to the same address for another job, and one without a token', async () => {
    const { inbox } = await openInbox()
    const { url, ref } = await inbox.prepare()
    const job = await connection.client.submit(MODEL, { prompt: 'x' }, { webhookUrl: url })
    await inbox.expect(job.id, { ref })
    await inbox.waitFor(job.id)
    const post = async (address: string) => {
      const body = JSON.stringify({ job_id: 'job_of_somebody', status: 'failed', error: { code: 'X', message: 'x' } })
      return (await fetch(address, { method: 'POST', body })).status
    }
    expect([await post(url), await post(url.replace(/\?.*/, ''))]).toEqual([401, 401])
    await inbox.drain()
  })

  it('finds the result of a delivery that never came', async () => {
    const missed: unknown[] = []
    const { inbox, handled } = await openInbox({ expectedAfterMs: 1, onWebhookMissed: (notice) => missed.push(notice) })
    connection.server.script(MODEL, [{ result: 'succeeded', webhook: { deliveries: 0 } }])
    const job = await connection.client.submit(MODEL, { prompt: 'x' }, { webhook: inbox })
    await job.result()
    const waiting = inbox.waitFor(job.id)
    await expect(inbox.reconcile({ listPending: () => [job.id] })).resolves.toMatchObject({ reconciled: 1 })
    await expect(waiting).resolves.toMatchObject({ status: 'succeeded', output: { type: 'image' } })
    expect(handled).toMatchObject([[{ job_id: job.id }, { source: 'poll' }]])
    expect(missed).toHaveLength(1)
    await inbox.drain()
  })

  it('resolves a run by its delivery', async () => {
    const { inbox, handled } = await openInbox()
    const result = await connection.client.run(MODEL, { prompt: 'x' }, { webhook: inbox })
    expect(result.output.items).toHaveLength(1)
    await inbox.waitFor(result.job_id)
    expect(handled).toHaveLength(1)
    await inbox.drain()
  })
})
