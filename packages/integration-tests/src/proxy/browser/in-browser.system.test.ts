import type { RequestListener } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isMissing, launch, note } from '../../browser/chromium.ts'
import { startReceiver } from '../../webhook-receiver.ts'
import { type AppOptions, openApp as openAppOf } from './app.ts'
import type { PageFunctions } from './page.ts'
import { scriptOf } from './site.ts'

describe.skipIf(isMissing)(`a page in a real browser${note}`, () => {
  let browser: Browser
  let scripts: ReadonlyMap<string, string>

  beforeAll(async () => {
    scripts = new Map([
      ['/page.js', await scriptOf('page.ts')],
      ['/worker.js', await scriptOf('worker.ts')],
    ])
    // A public name of a file host on this machine.
    browser = await launch('--host-resolver-rules=MAP files.example.com 127.0.0.1')
  })
  afterAll(() => browser?.close())

  async function openApp(options?: AppOptions) {
    const app = await openAppOf(scripts, options)
    onTestFinished(app.close)
    return app
  }

  async function openPage(origin: string): Promise<Page> {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(origin)
    await page.waitForFunction('globalThis.page')
    return page
  }

  function call<Name extends keyof PageFunctions>(page: Page, name: Name, ...values: Parameters<PageFunctions[Name]>) {
    const code = `globalThis.page.${name}(${values.map((value) => JSON.stringify(value)).join()})`
    return page.evaluate<Awaited<ReturnType<PageFunctions[Name]>>>(code)
  }

  it('runs a model with a path alone, without a key, and shows the image', async () => {
    const { server, proxy, site } = await openApp()
    const page = await openPage(site.origin)
    const run = await call(page, 'draw')
    expect(run).toMatchObject({ status: 'succeeded', pictureWidth: 512, jobId: expect.stringMatching(/^v1~/) })
    expect(run.statuses.at(-1)).toBe('succeeded')
    expect([1_000 - server.credits(), await proxy.balance({ user: 'anna' })]).toEqual([4, { used: 4, limit: 100 }])
  })

  it('keeps the key out, of the page and of its workers, which run models by the proxy as well', async () => {
    const { site } = await openApp()
    const [inPage, inWorker] = await call(await openPage(site.origin), 'useKey')
    expect(inPage).toContain('This seems to be a browser page')
    expect(inWorker).toMatch(/^1 models; .*This seems to be a browser page/)
  })

  it('of another site runs nothing with the cookies of its visitor, whatever it sends', async () => {
    const { server, site } = await openApp()
    const visitor = await openPage(site.origin)
    // Another site for a browser: `localhost` is not `127.0.0.1`.
    const evil = (await openApp()).site.origin.replace('127.0.0.1', 'localhost')
    await visitor.goto(evil)
    await visitor.waitForFunction('globalThis.page')
    await call(visitor, 'sendBlindly', `${site.origin}/api/modelrun/v1/models/aurora-image/run`)
    expect(server.credits()).toBe(1_000)
  })

  it('of another origin learns that it may be CORS', async () => {
    const { site } = await openApp()
    const page = await openPage((await openApp()).site.origin)
    const error = await call(page, 'runElsewhere', `${site.origin}/api/modelrun`)
    expect(error).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('(CORS)') })
  })

  it('of an allowed origin gets through, preflight and all', async () => {
    const elsewhere = (await openApp()).site.origin
    const { site, server } = await openApp({
      allowedOrigins: [elsewhere],
      authorize: undefined,
      dangerouslyAllowAnyone: true,
    })
    const page = await openPage(elsewhere)
    const error = await call(page, 'runElsewhere', `${site.origin}/api/modelrun`)
    expect(error.name).toBe('none')
    expect(1_000 - server.credits()).toBe(4)
  })

  it('follows the redirect of a file host, and checks where it led to', async () => {
    const hostOf = async (listener: RequestListener) => {
      const { url, close } = await startReceiver((request, response) => {
        listener(request, response.setHeader('access-control-allow-origin', '*'))
      })
      onTestFinished(close)
      return new URL(url).origin
    }
    const store = await hostOf((_, response) => void response.end('pixels'))
    const host = await hostOf((_, response) => void response.writeHead(302, { location: `${store}/0.png` }).end())
    const page = await openPage((await openApp()).site.origin)
    expect(await call(page, 'download', host, `${host}/file`)).toBe('pixels')
    const named = host.replace('127.0.0.1', 'files.example.com')
    const error = await call(page, 'download', 'https://api.example.com', `${named}/file`)
    expect(error).toContain(`redirects to ${store}, which is not safe`)
  })

  it('pays once when the browser sends a run again by itself', async () => {
    const { server, site } = await openApp({ clock: 'system' })
    const page = await openPage(site.origin)
    server.script('aurora-image', [
      { result: 'succeeded', after_ms: 0 },
      { result: 'succeeded', after_ms: 1_000 },
    ])
    // It leaves a connection that is kept: the next run is sent over that.
    await call(page, 'hold')
    site.breakNextRun()
    await expect(call(page, 'hold')).resolves.toBe('completed')
    expect(site.breaks()).toBe(1)
    expect(1_000 - server.credits()).toBe(8)
  })
})
