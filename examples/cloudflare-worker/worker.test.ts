import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

/** The Worker in workerd, as Cloudflare runs it. */
async function startWorker(bindings: Record<string, string>): Promise<Miniflare> {
  const conditions = process.execArgv.flatMap((option) => option.match(/^--conditions=(.+)$/)?.[1] ?? [])
  const bundle = await build({
    ...{ entryPoints: [join(import.meta.dirname, 'worker.ts')], bundle: true, write: false, format: 'esm' },
    conditions: ['workerd', 'worker', ...conditions],
  })
  // The one module by name: Miniflare itself cannot follow an import whose name is a variable.
  const modules = [{ type: 'ESModule' as const, path: 'worker.mjs', contents: bundle.outputFiles[0]?.text ?? '' }]
  return new Miniflare({ modules, compatibilityDate: '2026-07-01', bindings })
}

test('a video is started once, read until it is there, and its key stays in the Worker', async (t) => {
  const service = createReferenceServer({ clock: { scale: 60 } })
  const { url, close } = await listen(service)
  const bindings = { MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url, APP_TOKEN: 'token' }
  const worker = await startWorker(bindings)
  t.after(async () => {
    await worker.dispose()
    await close()
  })
  const send = async (path: string, init: { method?: string; body?: string } = {}, token = 'token') => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await worker.dispatchFetch(`https://videos.example.com${path}`, { ...init, headers })
    const text = await response.text()
    return { status: response.status, text, body: text && JSON.parse(text) }
  }

  assert.equal((await send('/videos', { method: 'POST', body: '{}' }, 'other')).status, 401)
  const wrong = await send('/videos', { method: 'POST', body: '{}' })
  assert.equal(wrong.body.submission, 'not_sent', wrong.text)
  const started = await send('/videos', { method: 'POST', body: '{ "prompt": "waves" }' })
  assert.equal(started.status, 202, started.text)
  const read = async () => {
    const { text, body } = await send(`/videos/${started.body.id}`)
    assert.equal(body.status, 'succeeded', text)
    assert.match(body.url, /\.mp4$/)
    assert.ok(!text.includes(service.apiKey))
  }
  await t.waitFor(read, { timeout: 30_000, interval: 200 })
  assert.equal((await send('/videos/job_none')).status, 404)
  assert.equal(10_000 - service.credits(), 60)
})
