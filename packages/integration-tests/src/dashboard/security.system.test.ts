import { beforeAll, expect, it } from 'vitest'
import { describeDashboard, type Served } from './kit.ts'

describeDashboard('the page of the dashboard and pages elsewhere', (kit) => {
  let served: Served

  beforeAll(async () => {
    served = await kit.serve({ clock: 'manual' })
  })

  it('breaks no rule of the policy, and sends nothing beyond its own origin', async () => {
    const page = await kit.browser.newPage()
    const problems: string[] = []
    const origins = new Set<string>()
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (sent) => origins.add(new URL(sent.url()).origin))
    await page.goto(`${served.url}/`)
    expect(page.url()).toContain('/_dashboard/')
    await page.getByRole('link', { name: 'Models' }).click()
    await page.getByRole('link', { name: 'Aurora Image', exact: true }).click()
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByRole('img', { name: /^Image/ }).waitFor()
    await page.locator('.mark').first().waitFor()
    await page.getByRole('link', { name: 'Controls' }).click()
    await page.getByRole('button', { name: 'Switch on' }).click()
    expect(problems).toEqual([])
    expect([...origins]).toEqual([served.url])
    await page.close()
  })

  it('has no key and no token in what is served', async () => {
    const html = await (await fetch(`${served.url}/_dashboard/`)).text()
    const paths = Array.from(html.matchAll(/(?:src|href)="\.\/([^"]+)"/g), ([, path]) => path)
    expect(paths.length).toBeGreaterThanOrEqual(3)
    const texts = await Promise.all(paths.map(async (path) => (await fetch(`${served.url}/_dashboard/${path}`)).text()))
    const all = [html, ...texts].join('\n')
    expect(all).not.toContain(served.server.apiKey)
    expect(all).not.toContain(served.server.controlToken)
    expect(all).not.toMatch(/sk_(test|live)_\w{8}/)
  })

  it('is not driven by a page of another origin: neither by fetch, nor by a form, nor in a frame', async () => {
    const page = await kit.browser.newPage()
    const other = await kit.serve()
    const requests = served.server.journal.entries({ kind: 'request' }).length
    await page.goto(`${other.url}/openapi.json`)
    const fetched = await page.evaluate(
      (url) =>
        Promise.all(
          ['reset', 'clock', 'keys'].map((path) =>
            fetch(`${url}/_reference/${path}`, { method: 'POST', mode: 'no-cors', body: '{}' }).then(
              ({ type }) => type,
              () => 'failed',
            ),
          ),
        ),
      served.url,
    )
    expect(fetched).toEqual(['opaque', 'opaque', 'opaque'])
    const streamed = await page.evaluate(
      (url) =>
        fetch(`${url}/_reference/activity`).then(
          () => 'read',
          () => 'failed',
        ),
      served.url,
    )
    expect(streamed).toBe('failed')
    expect(served.server.journal.entries({ kind: 'request' })).toHaveLength(requests)
    expect(served.server.snapshot().keys).toHaveLength(1)
    await page.close()
  })

  it('asks for the control token where the server is called under another name', async () => {
    const { port } = new URL(served.url)
    const browser = kit.browser
    const page = await browser.newPage()
    // The browser sends what a page behind a tunnel or on another machine would send.
    await page.route('**/_reference/**', async (route) => {
      const headers = { ...route.request().headers(), 'x-forwarded-for': '192.0.2.7' }
      await route.continue({ headers })
    })
    await page.goto(`http://127.0.0.1:${port}/_dashboard/`)
    await page.getByRole('heading', { name: 'Control token' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByLabel('Token').fill('wrong-token-0000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The server does not accept this token.').waitFor()
    await page.getByLabel('Token').fill(served.server.controlToken)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Models' }).click()
    await page.getByRole('link', { name: 'Aurora Image', exact: true }).waitFor()
    await page.close()
  })
})
