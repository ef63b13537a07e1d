import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import { createReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import * as images from './app/api/images/route.ts'
import * as proxied from './app/api/modelrun/[...path]/route.ts'
import * as videoRoute from './app/api/videos/[id]/route.ts'
import * as videos from './app/api/videos/route.ts'
import * as webhooks from './app/api/webhooks/route.ts'
import { register } from './instrumentation.ts'

const APP = 'https://app.example.com'
const LIMIT = { timeout: 10_000 }

const post = (body: object, init: RequestInit = {}) =>
  new Request(`${APP}/`, { method: 'POST', body: JSON.stringify(body), ...init })

/** The app with a service that delivers to its route. */
async function openApp(t: TestContext, options: ReferenceServerOptions = {}) {
  const service = createReferenceServer({ latency: 500, deliver: (request) => webhooks.POST(request), ...options })
  const { url, close } = await listen(service)
  const folder = await mkdtemp(join(tmpdir(), 'nextjs-'))
  Object.assign(process.env, {
    MODELRUN_API_KEY: service.apiKey,
    MODELRUN_BASE_URL: url,
    INBOX_SECRET: 'a secret of the test, 32 bytes long',
    PUBLIC_URL: `${APP}/api/webhooks`,
    DATA_FOLDER: folder,
    NEXT_RUNTIME: 'nodejs',
  })
  t.after(async () => {
    await close()
    await globalThis.modelrunExample?.inbox.drain()
    globalThis.modelrunExample?.videos.close()
    globalThis.modelrunExample = undefined
    await rm(folder, { recursive: true })
  })
  await register()
  return {
    service,
    charged: () => 10_000 - service.credits(),
    posts: () => service.journal.text().match(/POST \/v1\/models\//g)?.length ?? 0,
    paramsOf: (id: string) => ({ params: Promise.resolve({ id }) }),
    untilJournalHas: (text: string) => t.waitFor(() => assert.ok(service.journal.text().includes(text)), LIMIT),
  }
}

async function startVideo(): Promise<string> {
  const response = await videos.POST(post({ prompt: 'waves' }))
  assert.equal(response.status, 202)
  const body = await response.json()
  assert.deepEqual(Object.keys(body), ['id'])
  return body.id
}

test('loading the modules creates nothing, as in `next build`', () => {
  assert.equal(globalThis.modelrunExample, undefined)
})

test('a prompt brings an image', async (t) => {
  const { posts, charged } = await openApp(t)
  const response = await images.POST(post({ prompt: 'a fox' }))
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png'])
  assert.ok((await response.bytes()).length > 100)
  assert.deepEqual([posts(), charged()], [1, 4])
})

test('a closed page cancels its image, which is not charged', async (t) => {
  const { charged, untilJournalHas } = await openApp(t, { latency: 60_000 })
  const browser = new AbortController()
  const waiting = images.POST(post({ prompt: 'a fox' }, { signal: browser.signal }))
  await untilJournalHas('GET /v1/jobs/')
  browser.abort()
  assert.equal((await waiting).status, 499)
  await untilJournalHas('DELETE /v1/jobs/')
  assert.equal(charged(), 0)
})

test('a video comes by webhook, after its progress', async (t) => {
  const { service, paramsOf, posts, charged } = await openApp(t)
  const id = await startVideo()
  const read = async () => await (await videoRoute.GET(post({}), paramsOf(id))).json()
  assert.match((await read()).status, /queued|processing/)
  const hasVideo = async () => {
    const { status, url } = await read()
    assert.equal(status, 'succeeded')
    assert.match(url, /\.mp4$/)
  }
  await t.waitFor(hasVideo, LIMIT)
  const outcomes = service.webhooks.deliveries().map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['delivered'])
  assert.deepEqual([posts(), charged()], [1, 60])
})

test('a video can be cancelled, and is not charged', async (t) => {
  const { paramsOf, charged } = await openApp(t, { latency: 60_000 })
  const id = await startVideo()
  assert.equal((await videoRoute.DELETE(post({}), paramsOf(id))).status, 204)
  const state = await (await videoRoute.GET(post({}), paramsOf(id))).json()
  assert.deepEqual(state, { status: 'failed', error: 'cancelled' })
  assert.equal(charged(), 0)
})

test('a page gets no key and no job, and knows whether it was charged', async (t) => {
  const { service } = await openApp(t)
  const log = mock.method(console, 'error', () => {})
  assert.deepEqual(await (await images.POST(post({}))).json(), { isCharged: false })
  service.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
  const response = await images.POST(post({ prompt: 'a fox' }))
  assert.deepEqual([response.status, await response.json()], [502, { isCharged: true }])
  assert.equal(log.mock.callCount(), 2)
  mock.restoreAll()
  assert.equal((await videoRoute.GET(post({}), { params: Promise.resolve({ id: 'job_1' }) })).status, 404)
})

test('a page runs a model through the proxy, when its user is known', async (t) => {
  const { charged } = await openApp(t)
  const run = (cookie: string) => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie }
    const body = JSON.stringify({ input: { prompt: 'a fox' } })
    return proxied.POST(
      new Request(`${APP}/api/modelrun/v1/models/aurora-image/run`, { method: 'POST', headers, body }),
    )
  }
  assert.equal((await run('')).status, 401)
  assert.equal((await run('user=anna')).status, 200)
  assert.equal(charged(), 4)
})
