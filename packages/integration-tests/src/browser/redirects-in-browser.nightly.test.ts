import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, launch, note } from './chromium.ts'

/** Chromium finds the public name of a file host on this machine. */
const NAMED_HOST = '--host-resolver-rules=MAP files.example.com 127.0.0.1'

/** Downloads a file, and gives its text or the error. */
const SCRIPT = `
  import { ModelRun } from 'modelrun'
  globalThis.download = async (baseUrl, url) => {
    const client = new ModelRun({ apiKey: 'key', baseUrl, dangerouslyAllowBrowser: true, maxRetries: 0 })
    const read = async () => (await (await client.files.download(url)).blob()).text()
    return await read().catch((error) => error.message)
  }`

describe.skipIf(isMissing)(`a file whose host redirects, in a real browser${note}`, () => {
  const servers: Server[] = []
  let browser: Browser
  let page: Page

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      response.setHeader('access-control-allow-origin', '*')
      listener(request, response)
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // bound to a port, so not a pipe
  }

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: SCRIPT, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: 'esm',
      conditions: ['@modelrun/source'],
    })
    const site = await serve((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Page</title>')
    })
    browser = await launch(NAMED_HOST)
    page = await browser.newPage()
    await page.goto(site)
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '', type: 'module' })
    await page.waitForFunction('globalThis.download')
  })

  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close().closeAllConnections()
  })

  it('is followed by the browser, and checked by where it led to', async () => {
    const store = await serve((_, response) => void response.end('pixels'))
    const host = await serve((_, response) => void response.writeHead(302, { location: `${store}/0.png` }).end())
    const named = host.replace('127.0.0.1', 'files.example.com')
    const download = (baseUrl: string, url: string) =>
      page.evaluate<unknown>(`download(${JSON.stringify(baseUrl)}, ${JSON.stringify(`${url}/file`)})`)
    expect(await download(host, host)).toBe('pixels')
    expect(await download('https://api.example.com', named)).toContain(`redirects to ${store}, which is not safe`)
  })
})
