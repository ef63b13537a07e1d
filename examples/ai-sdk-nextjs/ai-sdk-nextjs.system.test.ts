import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import * as filmRoute from './app/api/films/[id]/route.ts'
import * as films from './app/api/films/route.ts'
import * as pictures from './app/api/pictures/route.ts'
import * as webhooks from './app/api/webhooks/route.ts'
import { register } from './instrumentation.ts'

const post = (body: object, init: RequestInit = {}) =>
  new Request('https://app.example.com/', { method: 'POST', body: JSON.stringify(body), ...init })

/** The app with a service that delivers to its route. */
async function openApp(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ latency: 500, deliver: (request) => webhooks.POST(request), ...options })
  const { url, close } = await listen(server)
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-ai-sdk-nextjs-'))
  const environment = {
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: url,
    INBOX_SECRET: 'a secret of the test, 32 bytes long',
    PUBLIC_URL: 'https://app.example.com/api/webhooks',
    DATA_FOLDER: folder,
    NEXT_RUNTIME: 'nodejs',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    await close()
    await globalThis.modelrunExample?.inbox.drain()
    globalThis.modelrunExample?.films.close()
    globalThis.modelrunExample = undefined
    await rm(folder, { recursive: true })
  })
  await register()
  const before = server.credits()
  return {
    server,
    charged: () => before - server.credits(),
    posts: () => server.journal.text().match(/POST \/v1\/models\//g)?.length ?? 0,
    paramsOf: (id: string) => ({ params: Promise.resolve({ id }) }),
  }
}

async function startFilm(): Promise<string> {
  const response = await films.POST(post({ prompt: 'waves' }))
  expect(response.status).toBe(202)
  const body = await response.json()
  expect(body).toEqual({ id: expect.any(String) })
  return body.id
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('loading the modules creates nothing, as in `next build`', async () => {
  expect(globalThis.modelrunExample).toBeUndefined()
  expect(await readdir(import.meta.dirname)).not.toContain('films.db')
})

test('a prompt brings a picture', async () => {
  const { posts, charged } = await openApp()
  const response = await pictures.POST(post({ prompt: 'a fox' }))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await response.bytes()).length).toBeGreaterThan(100)
  expect([posts(), charged()]).toEqual([1, 4])
})

test('a closed page cancels its picture, which is not charged', async () => {
  const { server, charged } = await openApp({ latency: 60_000 })
  const browser = new AbortController()
  const waiting = pictures.POST(post({ prompt: 'a fox' }, { signal: browser.signal }))
  await expect.poll(() => server.journal.text()).toContain('GET /v1/jobs/')
  browser.abort()
  expect((await waiting).status).toBe(499)
  await expect.poll(() => server.journal.text()).toContain('DELETE /v1/jobs/')
  expect(charged()).toBe(0)
})

test('a film comes by webhook, after its progress', async () => {
  const { server, paramsOf, posts, charged } = await openApp()
  const id = await startFilm()
  const read = async () => await (await filmRoute.GET(post({}), paramsOf(id))).json()
  expect(await read()).toEqual({ status: expect.stringMatching(/queued|processing/) })
  await expect.poll(read).toEqual({ status: 'succeeded', url: expect.stringMatching(/\.mp4$/) })
  expect(server.webhooks.deliveries()).toMatchObject([{ outcome: 'delivered' }])
  expect([posts(), charged()]).toEqual([1, 60])
})

test('a film can be cancelled, and is not charged', async () => {
  const { paramsOf, charged } = await openApp({ latency: 60_000 })
  const id = await startFilm()
  expect((await filmRoute.DELETE(post({}), paramsOf(id))).status).toBe(204)
  expect(await (await filmRoute.GET(post({}), paramsOf(id))).json()).toEqual({ status: 'failed', error: 'cancelled' })
  expect(charged()).toBe(0)
})

test('a page gets no key and no job, and knows whether it was charged', async () => {
  const { server } = await openApp()
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
  const response = await pictures.POST(post({ prompt: 'a fox' }))
  expect([response.status, await response.json()]).toEqual([502, { isCharged: true }])
  expect(log).toHaveBeenCalledOnce()
  expect((await filmRoute.GET(post({}), { params: Promise.resolve({ id: 'job_1' }) })).status).toBe(404)
})
