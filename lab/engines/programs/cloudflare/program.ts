import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import type { Plan } from '../order.ts'
import { orders, report } from '../program.ts'

const here = import.meta.dirname
const bundle = await build({
  entryPoints: [join(here, 'worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker'],
  external: ['cloudflare:workers', 'cloudflare:workflows'],
  plugins: [
    {
      name: 'faults',
      setup({ onResolve }) {
        // The worker's `createRuns` is the one under faults.
        onResolve({ filter: /^@modelrun\/durable$/ }, ({ importer }) =>
          importer.endsWith('worker.ts') ? { path: join(here, 'faulty-durable.ts') } : undefined,
        )
      },
    },
  ],
})
const account = await fetch(`${process.env.CONTROL_URL}/account/${orders[0]?.orderId}`)
const plan = (await account.json()) as Plan // of our own service
const state = join(here, '../../state', orders[0]?.orderId ?? '')
const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: bundle.outputFiles[0]?.text ?? '' }],
  compatibilityDate: '2026-07-01',
  bindings: {
    MODELRUN_API_KEY: plan.apiKey,
    MODELRUN_BASE_URL: plan.baseUrl,
    CONTROL_URL: process.env.CONTROL_URL ?? '',
  },
  // For a second program with the same order.
  durableObjectsPersist: join(state, 'objects'),
  workflowsPersist: join(state, 'workflows'),
  durableObjects: { VIDEOS: { className: 'Videos', useSQLite: true } },
  workflows: { MAKE_VIDEO: { name: 'make-video', className: 'MakeVideo' } },
})
await report(async ({ orderId, prompt }) => {
  const started = await worker.dispatchFetch('http://worker/', {
    method: 'POST',
    body: JSON.stringify({ orderId, prompt }),
  })
  const { id } = Object(await started.json())
  const { MAKE_VIDEO } = await worker.getBindings<{ MAKE_VIDEO: Workflow }>()
  for (;;) {
    const { status, output, error } = await (await MAKE_VIDEO.get(id)).status()
    if (status === 'complete') return output
    if (status === 'errored') throw new Error(error?.message)
    await sleep(100)
  }
})
await worker.dispose()
process.exit()
