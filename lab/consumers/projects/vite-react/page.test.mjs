// Builds the page as its author would, and opens it in a browser, with the author's server behind it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { chromium } from 'playwright-core'
import { build, createLogger } from 'vite'

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' }
const warnings = []
let files, scripts

before(async () => {
  const collect = (message) => void warnings.push(message)
  const customLogger = { ...createLogger('warn'), warn: collect, warnOnce: collect, error: collect }
  const { output } = await build({ root: import.meta.dirname, customLogger, build: { write: false } })
  files = new Map(output.map((file) => [`/${file.fileName}`, file.code ?? file.source]))
  scripts = output.filter(({ type }) => type === 'chunk')
})

test('the bundle is built without a warning and imports nothing of Node', () => {
  assert.deepEqual(warnings, [])
  const code = scripts.map((script) => script.code).join('\n')
  assert.doesNotMatch(code, /\b(?:from|import|require)\s*\(?\s*["'`]node:/)
  // Vite gives the page an empty module in place of one of Node's.
  assert.deepEqual(
    scripts.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.includes('browser-external')),
    [],
  )
})

test('the client and the hook add less than 52 kB to the page', async () => {
  const script = gzipSync(scripts.map(({ code }) => code).join('')).length / 1_000
  const withoutClient = gzipSync(await buildWithoutClient()).length / 1_000
  assert.ok(script - withoutClient > 5 && script - withoutClient < 52, `${script} - ${withoutClient} kB`)
  console.log(`note: ${script.toFixed(1)} kB gzip, ${(script - withoutClient).toFixed(1)} kB of it the client`)
})

test('the page shows the image of its run', async () => {
  const service = createReferenceServer({ clock: 'auto' })
  const { url, close } = await listen(service)
  const proxy = createProxy({
    client: new ModelRun({ apiKey: service.apiKey, baseUrl: url }),
    models: ['aurora-image'],
    secret: 'a secret of thirty-two bytes, or more',
    budget: { credits: 4 },
    authorize: () => ({ user: 'anna' }),
  })
  const server = createServer((request, response) => serve(request, response, proxy.node()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ['--no-sandbox'] })
  after(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
    await close()
  })

  const page = await browser.newPage()
  const problems = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => problems.push(message.text()))
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  await page.getByLabel('prompt').fill('a red fox')
  await page.click('button')
  const image = page.getByAltText('a red fox')
  await image.waitFor({ timeout: 20_000 })
  assert.ok(await image.evaluate((image) => image.decode().then(() => image.naturalWidth > 100)))
  assert.equal(await page.getByRole('status').textContent(), 'succeeded')
  await page.reload()
  await image.waitFor({ timeout: 20_000 })
  assert.deepEqual(problems, [])

  await page.getByLabel('prompt').fill('a red fox')

  await page.click('button')
  await page.getByText('Your credits of today are spent.').waitFor({ timeout: 20_000 })
  assert.equal(service.credits(), 9_996)
})

function serve(request, response, listener) {
  if (request.url.startsWith('/api/modelrun')) return listener(request, response)
  const path = request.url === '/' ? '/index.html' : request.url
  const type = types[path.split('.').at(-1)] ?? 'text/plain'
  response.writeHead(files.has(path) ? 200 : 404, { 'content-type': type }).end(files.get(path))
}

async function buildWithoutClient() {
  const code = 'export class JobFailedError {}; export const useRun = () => ({})'
  const empty = {
    name: 'without-client',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith('modelrun') ? '\0without-client' : undefined),
    load: (id) => (id === '\0without-client' ? code : undefined),
  }
  const options = { root: import.meta.dirname, logLevel: 'silent', build: { write: false }, plugins: [empty] }
  const { output } = await build(options)
  return output.map(({ code = '' }) => code).join('')
}
