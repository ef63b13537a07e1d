import { createInbox, type Inbox, type WebhookEvent } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Connection, openSocket } from '../transports.ts'

/** An application that was started: where it receives deliveries. */
export interface StartedApp {
  url: string
  close(): unknown
}

/** A way to put an inbox into an application. */
export interface Recipe {
  name: string
  start(inbox: Inbox): Promise<StartedApp>
}

const DELIVERY = JSON.stringify({ job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } })

/** A reference server, an application that receives its deliveries, and what the application has handled. */
interface Setting {
  connection: Connection
  inbox: Inbox
  app: StartedApp
  events: WebhookEvent[]
}

async function open({ start }: Recipe): Promise<Setting> {
  // In real time: a receiver on a busy machine has 10 s, where an auto clock waits for a quarter of a second.
  const connection = await openSocket({ clock: 'system', latency: 0 })
  const events: WebhookEvent[] = []
  const onEvent = (event: WebhookEvent) => void events.push(event)
  const inbox = createInbox({
    client: connection.client,
    secret: 'a secret of thirty-two bytes, or more',
    onSucceeded: onEvent,
    onFailed: onEvent,
    onHandlerError: () => {},
  })
  return { connection, inbox, events, app: await start(inbox) }
}

/** Runs a recipe against real deliveries of the reference server, to signed addresses. */
export function testRecipe(recipe: Recipe): void {
  describe(recipe.name, () => {
    let setting: Setting

    beforeEach(async () => {
      setting = await open(recipe)
    })

    afterEach(async () => {
      const { inbox, app, connection } = setting
      await inbox.drain()
      await app.close()
      await connection.close()
    })

    testDeliveries(() => setting)
    testRejections(() => setting)
  })
}

function testDeliveries(setting: () => Setting): void {
  test('gets a result, and a duplicate of it once (section 6)', async () => {
    const { connection, inbox, app, events } = setting()
    const { client, server } = connection
    server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2 } }])
    const webhookUrl = await inbox.callbackUrl(app.url)
    const job = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl })
    const deliveries = [await server.webhooks.next(), await server.webhooks.next()]
    await inbox.waitFor(job.id)
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
    expect(events).toMatchObject([{ job_id: job.id, status: 'succeeded', credits_used: expect.any(Number) }])
  })

  test('gets a failure', async () => {
    const { connection, inbox, app } = setting()
    const { client, server } = connection
    server.script('aurora-image', [{ result: 'failed' }])
    const webhookUrl = await inbox.callbackUrl(app.url)
    const job = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl })
    await expect(inbox.waitFor(job.id)).resolves.toMatchObject({ status: 'failed' })
    expect(await server.webhooks.next()).toMatchObject({ outcome: 'delivered', status: 202 })
  })
}

function testRejections(setting: () => Setting): void {
  const post = async (
    body: string,
    { contentType = 'application/json', url }: { contentType?: string; url?: string },
  ) => {
    const { inbox, app } = setting()
    const headers = { 'content-type': contentType }
    const response = await fetch(url ?? (await inbox.callbackUrl(app.url)), { method: 'POST', body, headers })
    await response.text()
    return response.status
  }

  test('rejects a delivery to an address without a token', async () => {
    expect(await post(DELIVERY, { url: setting().app.url })).toBe(401)
  })

  test.each(['', '{"job_id":', 'not JSON', '[]', '{}'])(
    'responds with 400 to a body like %j, and does not wait for more of it (408)',
    async (body) => {
      expect(await post(body, {})).toBe(400)
      expect(setting().events).toEqual([])
    },
  )

  test('responds to a body that is too large', async () => {
    // Where a body parser ran first, it says so in its own way.
    expect([400, 413]).toContain(await post('x'.repeat(300_000), {}))
  })

  test('responds to other content types', async () => {
    expect(await post(DELIVERY, { contentType: 'text/plain' })).toBe(202)
    // Fastify rejects what none of its parsers takes, before any handler.
    expect([202, 415]).toContain(await post(DELIVERY, { contentType: 'application/x-ndjson' }))
  })
}
