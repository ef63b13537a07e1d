import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listen } from '@modelrun/reference-server/node'
import type { Inbox } from 'modelrun/webhooks'
import { afterEach, expect, test, vi } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { type GuideApp, writeGuideApp } from './guide-app.ts'

const PUBLIC_URL = 'https://app.example.com/api/webhooks'

interface Shared {
  client?: unknown
  inbox?: Inbox
}

const shared = () => (globalThis as { modelrunShared?: Shared }).modelrunShared

/** Loads a file of the guide; with another version, as Next.js does after an edit. */
const load = ({ folder }: GuideApp, path: string, version = 1) => import(`${join(folder, path)}?version=${version}`)

const post = (body: unknown, init?: RequestInit) =>
  new Request('https://app.example.com/', { method: 'POST', body: JSON.stringify(body), ...init })

/** The app of the guide, and a service that delivers to one of its routes. */
async function openApp(webhookRoute = 'app/api/webhooks/route.ts') {
  const app = await writeGuideApp('nextjs.md')
  const route = await load(app, webhookRoute)
  const deliver = (request: Request) => route.POST(request)
  const server = createCheckedServer({ clock: { scale: 10 }, deliver })
  const service = await listen(server)
  const environment = {
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: service.url,
    INBOX_SECRET: 'a secret of the test, 32 bytes long',
    INBOX_FILE: ':memory:',
    PUBLIC_URL,
    NEXT_RUNTIME: 'nodejs',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const close = async () => {
    await service.close()
    await server.close()
    await app[Symbol.asyncDispose]()
  }
  return { app, server, [Symbol.asyncDispose]: close }
}

afterEach(async () => {
  await shared()?.inbox?.drain()
  Reflect.deleteProperty(globalThis, 'modelrunShared')
})

test('every module loads without keys and creates nothing, as in `next build`', async () => {
  await using app = await writeGuideApp('nextjs.md')
  vi.stubEnv('MODELRUN_API_KEY', undefined)
  vi.stubEnv('MODELRUN_BASE_URL', undefined)
  const before = await readdir('.')
  for (const file of app.files) await load(app, file)
  expect(app.files).toHaveLength(9)
  expect([shared()?.client, shared()?.inbox]).toEqual([undefined, undefined])
  expect(await readdir('.')).toEqual(before)
})

test('the Edge runtime starts no inbox', async () => {
  await using opened = await openApp()
  vi.stubEnv('NEXT_RUNTIME', 'edge')
  await (await load(opened.app, 'instrumentation.ts')).register()
  expect(shared()?.inbox).toBeUndefined()
})

test.each(['app/api/webhooks/route.ts', 'app/api/serverless-webhooks/route.ts'])(
  'a route starts a run, and its result comes to %s',
  async (webhookRoute) => {
    await using opened = await openApp(webhookRoute)
    const { app, server } = opened
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await (await load(app, 'instrumentation.ts')).register()
    const response = await (await load(app, 'app/api/generate/route.ts')).POST(post({ prompt: 'a fox' }))
    const { jobId } = await response.json()
    expect(response.status).toBe(202)
    await shared()?.inbox?.waitFor(jobId)
    expect(log).toHaveBeenCalledExactlyOnceWith(jobId, expect.stringContaining('http'))
    expect(server.webhooks.deliveries()).toMatchObject([{ outcome: 'delivered', status: 202 }])
    const params = Promise.resolve({ id: jobId })
    const state = await (await load(app, 'app/api/jobs/[id]/route.ts')).GET(post({}), { params })
    expect(await state.json()).toMatchObject({ status: 'succeeded', items: [{ type: 'image' }] })
  },
)

test('after an edit there is one inbox as before, and it calls the new handler', async () => {
  await using opened = await openApp()
  const { app } = opened
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const first = (await load(app, 'lib/modelrun.ts')).getInbox()
  const oldHandler = Reflect.get(shared() ?? {}, 'onSucceeded')
  const edited = await load(app, 'lib/modelrun.ts', 2)
  expect(edited.getInbox()).toBe(first)
  expect(Reflect.get(shared() ?? {}, 'onSucceeded')).not.toBe(oldHandler)
  const { jobId } = await (await load(app, 'app/actions.ts')).generate('an owl')
  await first.waitFor(jobId)
  expect(log).toHaveBeenCalledExactlyOnceWith(jobId, expect.anything())
})

test('a request that waits responds with the images, and cancels its job when the browser goes', async () => {
  await using opened = await openApp()
  const { app, server } = opened
  const { POST } = await load(app, 'app/api/generate-now/route.ts')
  const images = await POST(post({ prompt: 'a fox' }))
  expect([images.status, (await images.json()).length]).toEqual([200, 1])

  server.script('aurora-image', [{ result: 'hang' }])
  const browser = new AbortController()
  const waiting = POST(post({ prompt: 'a hare' }, { signal: browser.signal }))
  const jobId = await vi.waitUntil(() => /job_\w+/.exec(server.report().text)?.[0], { timeout: 100_000 })
  // A poll shows that the app knows the job: before that there is nothing to cancel.
  await vi.waitFor(() => expect(server.story(jobId)).toContain(`GET /v1/jobs/${jobId}`), { timeout: 100_000 })
  browser.abort()
  expect((await waiting).status).toBe(499)
  await expect.poll(() => server.job(jobId).status).toBe('cancelled')
})

test('the schedule is for its owner alone', async () => {
  await using opened = await openApp()
  const { GET } = await load(opened.app, 'app/api/cron/route.ts')
  const ask = (authorization: string) => GET(new Request('https://app.example.com/', { headers: { authorization } }))
  expect((await ask('Bearer undefined')).status).toBe(401)
  vi.stubEnv('CRON_SECRET', 'of the test')
  expect((await ask('Bearer other')).status).toBe(401)
  expect((await ask('Bearer of the test')).status).toBe(200)
})
