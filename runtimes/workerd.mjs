// Bundles worker.mjs of the working directory, as a deployment would, and asks it once. workerd has no console program.
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
const miniflare = new Miniflare({ modules: true, script: outputFiles[0].text, compatibilityDate })
try {
  const query = new URLSearchParams(urls.map((url) => ['url', url]))
  const answer = await miniflare.dispatchFetch(`https://worker.example.com/?${query}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  console.log(text)
} finally {
  await miniflare.dispose()
}
