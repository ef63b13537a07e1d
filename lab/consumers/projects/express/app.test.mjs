// `app.js` is what TypeScript made of `app.ts`. Every request goes over sockets, to the app and to the service.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { createApp } from './app.js'

const service = createReferenceServer({ clock: 'auto' })
const http = createServer()
let listening, url, inbox, done

before(async () => {
  listening = await listen(service)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${http.address().port}`
  const client = new ModelRun({ apiKey: service.apiKey, baseUrl: listening.url })
  const secret = 'a secret of thirty-two bytes, or more'
  const created = createApp({ client, secret, publicUrl: `${url}/webhooks` })
  ;({ inbox, done } = created)
  http.on('request', created.app)
  inbox.start()
})

after(async () => {
  await inbox.drain()
  http.closeAllConnections()
  http.close()
  await listening.close()
})

async function post(path, body, headers = {}) {
  const json = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  const response = await fetch(url + path, json)
  return { status: response.status, body: await response.json() }
}

test('a route runs a model, whose result comes by webhook', async () => {
  const { status, body } = await post('/models/aurora-image/images', { prompt: 'a red fox' })
  assert.equal(status, 200)
  const image = await fetch(body.url)
  assert.match(image.headers.get('content-type'), /^image\//)
  const delivery = await service.webhooks.next({ timeoutMs: 5_000 })
  assert.deepEqual(
    [delivery.outcome, delivery.status, delivery.url.startsWith(`${url}/webhooks`)],
    ['delivered', 202, true],
  )
  assert.deepEqual(done, [delivery.body.job_id])
})

test('an error of the client reaches the error handler of the app', async () => {
  const { status, body } = await post('/models/no-such-model/images', { prompt: 'x' })
  assert.deepEqual([status, body], [404, { code: 'NOT_FOUND', submission: 'rejected' }])
})

test('a delivery that the app did not ask for is rejected', async () => {
  const { status } = await post('/webhooks', {
    job_id: 'job_1',
    status: 'succeeded',
    output: { type: 'image', items: [] },
  })
  assert.equal(status, 401)
})

test('the proxy runs a model for a user, within its budget', async () => {
  const run = (headers) => post('/api/modelrun/v1/models/aurora-image/run', { input: { prompt: 'x' } }, headers)
  const user = { origin: url, 'x-user': 'anna' }
  const statuses = [(await run({ origin: url })).status, (await run(user)).status, (await run(user)).status]
  assert.deepEqual(statuses, [401, 200, 402])
  assert.equal((await run({ ...user, origin: 'https://elsewhere.example.com' })).status, 403)
})
