// Bundles worker.mjs of the working directory, as a deployment would, and asks it. workerd has no console program.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const [compatibilityDate, ...urls] = process.argv.slice(2)

const { outputFiles } = await build({
  entryPoints: ['worker.mjs'],
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  write: false,
})
// The one module by name, as wrangler gives it: Miniflare itself cannot follow an import whose name is a variable.
const modules = [{ type: 'ESModule', path: 'worker.mjs', contents: outputFiles[0].text }]
const miniflare = new Miniflare({ modules, compatibilityDate })

async function ask(path) {
  const answer = await miniflare.dispatchFetch(`https://worker.example.com${path}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

try {
  const { agent, refused, facts } = JSON.parse(
    await ask(`/facts?${new URLSearchParams(urls.map((url) => ['url', url]))}`),
  )
  // With the packages of the working directory: this file is not among them.
  const { deliverResults } = await import(pathToFileURL(join(process.cwd(), 'deliver-results.mjs')))
  const received = await deliverResults({
    callbackUrl: () => ask('/callback-url'),
    post: (url, init) => miniflare.dispatchFetch(url, init),
    handled: async () => JSON.parse(await ask('/handled')),
  })
  console.log(JSON.stringify({ agent, refused, facts: { ...facts, received } }))
} finally {
  await miniflare.dispose()
}
