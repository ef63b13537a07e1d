// The Chromium or Chrome of this machine: a page, a worker that it starts, or the service worker of its site.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { askWorker } from './ask-worker.mjs'
import { openSite } from './chromium-site.mjs'

const [place, ...urls] = process.argv.slice(2)

// The functions for `evaluate` run in the page.
const askIn = {
  page: (page) => page.evaluate((urls) => findFacts(...urls), urls),
  'web-worker': (page) =>
    page.evaluate((urls) => {
      const worker = new Worker('/page.js')
      worker.postMessage(urls)
      return new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => (data.facts ? resolve(data) : reject(new Error(data)))
        worker.onerror = ({ message }) => reject(new Error(message))
      })
    }, urls),
  'service-worker': async (page) => {
    await page.evaluate(async () => {
      const inControl = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))
      await navigator.serviceWorker.register('/service-worker.js')
      await inControl
    })
    return await askWorker((url, init) => fetchInPage(page, url, init), `${page.url()}worker`, urls)
  },
}

/** The service worker gets the requests of its pages. */
async function fetchInPage(page, url, { method, body } = {}) {
  const fetchText = async ([url, init]) => {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text() }
  }
  const { status, text } = await page.evaluate(fetchText, [url, { method, body }])
  return new Response(text, { status })
}

const site = await openSite()
const debian = '/usr/bin/chromium'
const program = existsSync(debian) ? { executablePath: debian } : { channel: 'chrome' }
// Without a sandbox, because that needs rights which containers do not give.
const browser = await chromium.launch({ ...program, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  await page.goto(site.url)
  console.log(JSON.stringify({ ...(await askIn[place](page)), version: browser.version().split('.', 1)[0] }))
} finally {
  await browser.close()
  site.close()
}
