// workerd has no console program: the worker is bundled, and asked.
import { Miniflare } from 'miniflare'
import { askWorker } from './ask-worker.mjs'
import { bundle } from './bundle.mjs'

const [compatibilityDate, ...urls] = process.argv.slice(2)
const contents = await bundle('worker.mjs', { format: 'esm', conditions: ['workerd', 'worker', 'browser'] })
// The one module by name, as wrangler gives it: Miniflare itself cannot follow an import whose name is a variable.
const modules = [{ type: 'ESModule', path: 'worker.mjs', contents }]
const miniflare = new Miniflare({ modules, compatibilityDate })
try {
  const send = (url, init) => miniflare.dispatchFetch(url, init)
  console.log(JSON.stringify(await askWorker(send, 'https://worker.example.com', urls)))
} finally {
  await miniflare.dispose()
}
