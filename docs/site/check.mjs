// Checks the built site as visitors meet it: `npm run check --prefix docs/site`, with `-- folder` for another place than dist.
// No dead link or anchor, nothing that axe finds in both themes, small scripts, a search that finds.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { LinkChecker } from 'linkinator'
import { chromium } from 'playwright-core'
import sirv from 'sirv'
import { allDocuments, pageOf } from './pages.mjs'

const MAX_SCRIPT_BYTES = 50_000
const MAX_PLAYGROUND_BYTES = 230_000
const PROGRAMS_AT_ONCE = 4
const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('dist', import.meta.url)))
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const problems = []
let programs = 0

const server = createServer(sirv(folder))
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const site = `http://127.0.0.1:${server.address().port}`
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  await checkLinks()
  const pages = ['404', ...allDocuments().map((path) => `${pageOf(path)}/`.replace('index/', ''))]
  await checkPages([...pages, 'playground/'])
  await checkSearch()
  await checkPlayground()
  await checkHostileProgram()
} finally {
  await browser.close()
  server.close()
}
if (programs < 25) problems.push(`Only ${programs} programs of the guides have a button.`)
console.log(`${programs} programs ran. ${problems.length} problems on the site.`)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

async function checkLinks() {
  const isElsewhere = async (link) => !link.startsWith(site)
  const { links } = await new LinkChecker().check({
    path: `${site}/`,
    recurse: true,
    checkFragments: true,
    linksToSkip: isElsewhere,
  })
  if (links.length < 500) problems.push(`Only ${links.length} links were found.`)
  for (const { state, url, parent } of links)
    if (state === 'BROKEN') problems.push(`${parent} has a dead link to ${url}`)
}

async function checkPages(pages) {
  const page = await browser.newPage()
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`))
  let scriptBytes = 0
  page.on('response', async (response) => {
    if (response.request().resourceType() !== 'script') return
    const body = await response.body().catch(() => '') // a page that was left has none
    scriptBytes += gzipSync(body).length
  })
  for (const path of pages) {
    scriptBytes = 0
    await page.goto(`${site}/${path}`, { waitUntil: 'load' })
    if (scriptBytes > MAX_SCRIPT_BYTES) problems.push(`/${path} loads ${scriptBytes} bytes of script.`)
    await checkWithAxe(page, `/${path}`)
    await runPrograms(page, `/${path}`)
  }
  await page.close()
}

async function checkWithAxe(page, path) {
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate(() => globalThis.axe.run())
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
    for (const text of found) problems.push(`${path} (${colorScheme}): ${text}`)
  }
}

/** Each program of a page runs to its end, a few at a time. */
async function runPrograms(page, path) {
  if (path === '/playground/') return
  const count = await page.locator('main .run-program').count()
  for (let done = 0; done < count; ) {
    const now = Math.min(PROGRAMS_AT_ONCE, count - done)
    for (let left = now; left > 0; left--) await page.locator('main .run-program:enabled').first().click()
    done += now
    const areDone = (wanted) => document.querySelectorAll('.play:not([data-state=running])').length === wanted
    const ended = await page.waitForFunction(areDone, done, { timeout: 60_000 }).catch(() => undefined)
    if (ended === undefined) problems.push(`${path}: a program has no outcome.`)
  }
  for (const text of await page.locator('.play[data-state=failed]').allInnerTexts()) {
    problems.push(`${path}: a program fails: ${text}`)
  }
  programs += count
}

/** The playground loads little, and shows its result; a program from a link waits for a click. */
async function checkPlayground() {
  const page = await browser.newPage()
  let bytes = 0
  page.on('response', async (response) => {
    const isLoaded = response.url().startsWith(site) && /script|fetch/.test(response.request().resourceType())
    if (isLoaded) bytes += gzipSync(await response.body()).length
  })
  await page.goto(`${site}/playground/`, { waitUntil: 'networkidle' })
  bytes = 0
  // The first run loads everything. The times are printed and not judged: they depend on the machine.
  const times = []
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    await page.locator('#run').click()
    await page.locator('.play:not([data-state=running])').waitFor({ timeout: 60_000 })
    times.push(Math.round(performance.now() - start))
  }
  console.log(`The playground loads ${bytes} bytes. From the click to the result: ${times.join(', ')} ms.`)
  if (bytes > MAX_PLAYGROUND_BYTES) problems.push(`The playground loads ${bytes} bytes.`)
  if ((await page.locator('.play .images img').count()) !== 2) problems.push('The playground shows no images.')
  await page.locator('#program').fill(`console.log('shared', 1 as number)`)
  await page.locator('#share').click()
  await page.waitForURL(/#code=/)
  const link = page.url()
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForFunction(() => document.querySelector('#program').value.includes('shared'))
  if ((await page.locator('.play').count()) > 0) problems.push('A program from a link runs without a click.')
  await page.locator('#run').click()
  await page.getByText('shared 1').waitFor()
  await page.close()
}

async function checkSearch() {
  const page = await browser.newPage()
  await page.goto(site)
  await page.keyboard.press('Control+k')
  await page.locator('dialog input').fill('submission')
  const results = page.locator('dialog .pagefind-ui__result-link')
  await results.first().waitFor()
  const titles = await results.allTextContents()
  if (!titles.includes('Errors')) problems.push(`A search for "submission" finds ${titles.join(', ')}, and not Errors.`)
}

/** A program from a shared link reaches nothing outside its frame, and cannot stop the page. */
async function checkHostileProgram() {
  const reached = []
  const elsewhere = createServer(({ url }, response) => {
    reached.push(url)
    response.end()
  })
  await new Promise((listening) => elsewhere.listen(0, '127.0.0.1', listening))
  const address = `http://127.0.0.1:${elsewhere.address().port}`
  // Most of them are stopped by the time limit: all at once.
  await Promise.all(hostilePrograms(address).map(runHostile))
  if (reached.length > 0) problems.push(`Hostile programs reach another server: ${reached.join(', ')}`)
  elsewhere.close()
}

async function runHostile(program) {
  const page = await browser.newPage()
  await page.goto(`${site}/playground/`)
  await page.locator('#program').fill(program)
  await page.locator('#run').click()
  await page.locator('.play:not([data-state=running])').waitFor()
  const shown = await page.locator('.play').innerText()
  if (shown.includes('taken')) problems.push(`A hostile program gets what it wants: ${program}`)
  await page.close()
}

function hostilePrograms(address) {
  const reaches = [
    `await fetch('${address}/fetch')`,
    `new WebSocket('${address.replace('http', 'ws')}/socket')`,
    `await new Promise((done) => Object.assign(new Image(), { onload: done, onerror: done, src: '${address}/image' }))`,
    `navigator.sendBeacon('${address}/beacon')`,
    `location.href = '${address}/navigation'`,
    `const form = Object.assign(document.createElement('form'), { action: '${address}/form' }); document.body.append(form); form.submit()`,
    `open('${address}/window')`,
    `await import('${address}/module')`,
    `top.location.href = '${address}/top'`,
  ]
  const reads = ['parent.document.title', 'localStorage.length', 'document.cookie', 'indexedDB.open("a").transaction']
  return [
    ...reaches.map((code) => `try { ${code} } catch {}\nawait new Promise((done) => setTimeout(done, 300))`),
    ...reads.map((code) => `let value\ntry { value = ${code} } catch {}\nif (value) console.log('taken', value)`),
    'for (;;) {}',
  ]
}
