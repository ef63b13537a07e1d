import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listen } from '@modelrun/reference-server/node'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { isMissing, launch, note } from './chromium.ts'

describe.skipIf(isMissing)(`a page of another origin in a real browser${note}`, () => {
  let browser: Browser
  let page: Page
  let origin: string
  const site = createServer(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<title>Page</title>'),
  )

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}` // bound to a port, so not a pipe
    browser = await launch()
    page = await browser.newPage()
    await page.goto(origin)
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    site.closeAllConnections()
    site.close()
  })

  /** What a `fetch` of the page comes to. */
  function fetchInPage(url: string, method: string, authorization: string) {
    const script = `fetch(${JSON.stringify(url)}, { method: '${method}', headers: { authorization: '${authorization}' } }).then(
      (response) => [response.status, response.headers.get('x-request-id')],
      (error) => error.message,
    )`
    return page.evaluate<unknown>(script)
  }

  async function serve(cors?: readonly string[]) {
    const server = createCheckedServer()
    const listening = await listen(server, { cors })
    const send = (path: string, method = 'GET', key = server.apiKey) =>
      fetchInPage(`${listening.url}${path}`, method, `Bearer ${key}`)
    const close = async () => {
      await listening.close()
      await server.close()
    }
    return { server, send, close }
  }

  it('calls the service when its origin is allowed, and reads errors and headers', async () => {
    const { send, close } = await serve([origin])
    expect(await send('/v1/models')).toEqual([200, 'http_1'])
    expect(await send('/v1/jobs/job_none', 'DELETE')).toEqual([404, 'http_2'])
    expect(await send('/v1/models', 'GET', 'sk_test_wrong')).toEqual([401, 'http_3'])
    await close()
  })

  it('calls the service when every origin is allowed, and never the control API', async () => {
    const { send, close } = await serve(['*'])
    expect(await send('/v1/models')).toEqual([200, 'http_1'])
    expect(await send('/_reference/reset', 'POST')).toBe('Failed to fetch')
    await close()
  })

  it('cannot call the service otherwise', async () => {
    for (const cors of [undefined, ['http://localhost:1']]) {
      const { server, send, close } = await serve(cors)
      expect(await send('/v1/models')).toBe('Failed to fetch')
      // The preflight reaches the service, of which it is not a part.
      expect(await server.takeViolations()).toEqual([expect.stringContaining('OPTIONS /v1/models 401')])
      await close()
    }
  })
})
