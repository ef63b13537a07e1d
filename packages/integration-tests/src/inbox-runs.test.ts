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
