import { ModelRun } from 'modelrun'
import { createInbox, type SucceededEvent } from 'modelrun/webhooks'
import { expect, test } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'

const WEBHOOK_URL = 'https://app.example.com/api/webhooks'

/** What `app/api/webhooks/route.ts` exports. Next.js calls it with a web-standard request. */
function createRoute(client: ModelRun, onSucceeded: (event: SucceededEvent) => void) {
  const inbox = createInbox({ client, onSucceeded })
  const POST = (request: Request) => inbox.handle(request)
  return { POST, inbox }
}

test('a route handler of Next.js gets a result (section 6)', async () => {
  const handled: SucceededEvent[] = []
  await using server = createCheckedServer({
    deliver: (request) => route.POST(request),
  })
  const client = new ModelRun(server.clientOptions())
  const route = createRoute(client, (event) => handled.push(event))
  const job = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl: WEBHOOK_URL })
  await route.inbox.waitFor(job.id)
  expect(await server.webhooks.next()).toMatchObject({ outcome: 'delivered', status: 202 })
  expect(handled).toMatchObject([{ job_id: job.id, status: 'succeeded' }])
})

test('a route handler of Next.js responds at once when the body is malformed or was read before', async () => {
  await using server = createCheckedServer()
  const { POST } = createRoute(new ModelRun(server.clientOptions()), () => {})
  const malformed = new Request(WEBHOOK_URL, { method: 'POST', body: '{"job_id":' })
  expect((await POST(malformed)).status).toBe(400)
  const read = new Request(WEBHOOK_URL, { method: 'POST', body: '{}' })
  await read.json()
  const response = await POST(read)
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('has been read already')])
})
