import { ModelRun, NotFoundError } from 'modelrun'
import { createInbox, type WebhookEvent } from 'modelrun/webhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSetting } from '../proxy/setting.ts'
import { openSocket } from '../transports.ts'
import { FRAMEWORKS } from './frameworks.ts'

const DELIVERY = JSON.stringify({ job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } })
const PROXY_PATH = '/api/modelrun'

describe.each(FRAMEWORKS)('in %s', (_, start) => {
  /** A service in real time, because a receiver on a busy machine has 10 s, and an inbox for its deliveries. */
  async function openInbox() {
    const connection = await openSocket({ clock: 'system', latency: 0 })
    const events: WebhookEvent[] = []
    const onEvent = (event: WebhookEvent) => void events.push(event)
    const secret = 'a secret of thirty-two bytes, or more'
    const inbox = createInbox({ client: connection.client, secret, onSucceeded: onEvent, onFailed: onEvent })
    const app = await start({ path: '/webhooks', node: inbox.node(), handle: inbox.handle })
    onTestFinished(async () => {
      await inbox.drain()
      await app.close()
      await connection.close()
    })
    return { ...connection, inbox, app, events }
  }

  test('an inbox gets a result, a duplicate of it once, and a failure (section 6)', async () => {
    const { client, server, inbox, app, events } = await openInbox()
    server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2 } }, { result: 'failed' }])
    for (const status of ['succeeded', 'failed']) {
      const webhookUrl = await inbox.callbackUrl(app.url)
      const job = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl })
      await expect(inbox.waitFor(job.id)).resolves.toMatchObject({ job_id: job.id, status })
      expect(await server.webhooks.next()).toMatchObject({ outcome: 'delivered', status: 202 })
    }
    expect(await server.webhooks.next()).toMatchObject({ outcome: 'delivered', status: 202 })
    expect(events.map(({ status }) => status)).toEqual(['succeeded', 'failed'])
  })

  test('an inbox responds to what is no delivery for it, and to other content types', async () => {
    const { inbox, app, events } = await openInbox()
    const post = async (body: string, contentType = 'application/json', url?: string) => {
      const headers = { 'content-type': contentType }
      const response = await fetch(url ?? (await inbox.callbackUrl(app.url)), { method: 'POST', body, headers })
      await response.text()
      return response.status
    }
    expect(await post(DELIVERY, 'application/json', app.url)).toBe(401)
    for (const body of ['', '{"job_id":', 'not JSON', '[]', '{}']) expect([body, await post(body)]).toEqual([body, 400])
    expect(events).toEqual([])
    expect(await post(DELIVERY, 'text/plain')).toBe(202)
    // Fastify rejects what none of its parsers takes, before any handler.
    expect([202, 415]).toContain(await post(DELIVERY, 'application/x-ndjson'))
    // Where a body parser ran first, it says so in its own way. The connection may end with it.
    expect([400, 413]).toContain(await post('x'.repeat(300_000)))
  })

  test('a proxy lists, reads, runs, polls and cancels for the pages of its users', async () => {
    const { proxy, errors, close } = openSetting({ budget: { credits: 500 } })
    const app = await start({ path: PROXY_PATH, node: proxy.node(), handle: proxy.handle })
    onTestFinished(async () => {
      await app.close()
      await close()
    })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const [anna, ben] = ['anna', 'ben'].map((apiKey) => {
      return new ModelRun({ apiKey, baseUrl: app.url, headers, polling: { initialIntervalMs: 10 } })
    }) as [ModelRun, ModelRun] // two of two
    expect((await anna.models.list({ category: 'text-to-video' })).models).toMatchObject([{ id: 'lumen/aurora-video' }])
    await expect(anna.models.get('lumen/aurora-video')).resolves.toMatchObject({ input_schema: { type: 'object' } })
    const held = await anna.run('aurora-image', { prompt: 'ein Fuchs, 狐' })
    expect(held).toMatchObject({ status: 'succeeded', credits_used: 4 })
    const job = await anna.submit('lumen/aurora-video', { prompt: 'waves' })
    await expect(ben.jobs.get(job.id)).rejects.toThrow(NotFoundError)
    await expect(job.cancel()).resolves.toMatchObject({ status: 'cancelled' })
    await expect(proxy.balance({ user: 'anna' })).resolves.toMatchObject({ used: 4 })
    expect(errors).toEqual([])
  })
})
