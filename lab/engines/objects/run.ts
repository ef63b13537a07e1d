// Each promise of an engine, in a Durable Object in workerd; then alarms, and an object that dies after its POST.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const bundle = await build({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['@modelrun/source', 'workerd', 'worker'],
  external: ['cloudflare:workers'],
})
const service = createReferenceServer({ clock: 'system', latency: 100 })
const { url, close } = await listen(service, { port: 0 })
const worker = new Miniflare({
  // The one module by name: Miniflare itself cannot follow an import whose name is a variable.
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: bundle.outputFiles[0]?.text ?? '' }],
  compatibilityDate: '2026-07-01',
  bindings: { API_KEY: service.apiKey, BASE_URL: url },
  durableObjects: { OBJECTS: { className: 'Checked', useSQLite: true } },
})

async function call(method: string, ...args: unknown[]) {
  const response = await worker.dispatchFetch('http://worker/', {
    method: 'POST',
    body: JSON.stringify({ method, args }),
  })
  return (await response.json()) as { value?: unknown; error?: string }
}

/** These block the event loop for longer than a lock. Here no time passes while code runs, so that their tasks never stall. */
const STALLING = [
  'a process that is paused for longer than a lock loses its tasks, and its late end does not count',
  'a run that was not marked as started does not count as lost',
  'a run that was marked as started counts as lost',
  'a process that was stopped for longer than its lock cannot mark its run as started',
  'a caller that was stopped for longer than its lock can neither mark nor end its run; the next one has a higher fence',
]

let failures = 0
async function check(name: string, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    failures += 1
    console.error(`failed: ${name}: ${error}`)
  }
}

const { value: names } = await call('names')
assert.ok(Array.isArray(names) && names.length > 30)
assert.deepEqual(
  STALLING.filter((name) => !names.includes(name)),
  [],
)
const held = names.filter((name) => !STALLING.includes(name))
for (const name of held) {
  await check(name, async () => assert.equal((await call('check', name)).error, undefined))
}

await check('alarms work what was added', async () => {
  await call('add', ['a', 'b', 'c', 'a'])
  for (;;) {
    const { done } = Object((await call('progress')).value)
    if (done === 3) break
    await sleep(200)
  }
  assert.equal(service.requests({ route: 'runModel' }).length, 3)
})

await check('an object that dies after its POST knows that the run is unknown, and sends it once', async () => {
  assert.match((await call('send', 'dying', true)).error ?? '', /Died/)
  for (;;) {
    const run = Object((await call('send', 'dying', false)).value)
    if (run.afterMs === undefined) {
      assert.equal(run.state, 'unknown')
      break
    }
    await sleep(run.afterMs)
  }
  assert.equal(service.requests({ route: 'runModel' }).length, 4)
})

console.log(`Durable Object: ${held.length + 2 - failures} of ${held.length + 2} promises held`)
await worker.dispose()
await close()
process.exit(failures === 0 ? 0 : 1)
