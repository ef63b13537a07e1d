import { ModelRun } from 'modelrun'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startReceiver } from '../webhook-receiver.ts'
import { describeDashboard, goTo, type Served } from './kit.ts'

// Each story is what a person reads on the page, word by word.
describeDashboard('what the dashboard says', (kit) => {
  let served: Served
  let page: Page

  beforeAll(async () => {
    served = await kit.serve({ clock: 'manual' })
    page = await served.open()
  })

  beforeEach(async () => {
    served.server.reset()
    await show('#/activity')
  })

  const clientOf = (apiKey = served.server.apiKey) =>
    new ModelRun({ apiKey, baseUrl: served.url, clock: served.server.clock, maxRetries: 0 })

  const show = (hash: string) => goTo(page, hash)

  it('says what it is, where it is and what to do, before the first request', async () => {
    const { server, url } = served
    await page
      .getByRole('heading', { name: 'A model inference service on your machine. Nothing is charged.' })
      .waitFor()
    const shown = await page.getByRole('main').textContent()
    expect(shown).toContain(url)
    expect(shown).toContain(server.apiKey)
    expect(shown).toContain(`export MODELRUN_BASE_URL='${url}'`)
    for (const [tab, text] of [
      ['TypeScript', `new ModelRun({ baseUrl: '${url}', apiKey: '${server.apiKey}' })`],
      ['curl', `authorization: Bearer ${server.apiKey}`],
    ] as const) {
      await page.getByText(tab, { exact: true }).click()
      expect(await page.getByRole('region', { name: 'Code to connect' }).textContent()).toContain(text)
    }
  })

  it('a lost response: the run is there, is charged once, and its result arrives all the same', async () => {
    await page.getByRole('button', { name: 'Show me a lost response' }).click()
    await page.getByText('The response to the run was lost: the job was made all the same.').waitFor()
    await page.getByText('Succeeded after 2.5 s. 4 credits charged, 0 polls, 1 webhook.').waitFor()
    await page.getByRole('button', { name: /^Response to POST run after .* no response.*fault reset/ }).waitFor()
    await page.getByRole('button', { name: /^POST webhook after 2.500 s: 204 delivered/ }).waitFor()
    const runs = served.server.journal
      .entries({ kind: 'request' })
      .filter((entry) => entry.kind === 'request' && entry.route === 'runModel')
    expect([runs.length, served.server.credits()]).toEqual([1, 9_996])
    await show('#/activity')
    await page.getByText('The response was lost: reset (fault_1).').waitFor()
  })

  it('a duplicate is called so, and has the response of the receiver', async () => {
    const app = await startReceiver((_, response) => response.writeHead(500, { 'x-app': 'mine' }).end('boom at line 7'))
    served.server.webhooks.script({ deliveries: 2, gap_ms: 6 })
    await show('#/models/aurora-image')
    await page.getByText('Results: delivered 2 times, 6 ms apart').waitFor()
    await page.getByText('Webhook', { exact: true }).click()
    await page.getByLabel('Send the result to').fill(app.url)
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.getByText(/^Processing for/).waitFor()
    await served.server.clock.advance(20_000)
    await page
      .getByText('The result was sent 2 times. 2 deliveries failed: the receiver responded with 500: boom at line 7.')
      .waitFor()
    const duplicate = page.getByRole('button', { name: /^POST webhook · duplicate 2 after 4.006 s: 500 rejected/ })
    await duplicate.focus()
    const panel = page.getByRole('region', { name: 'Exchange' })
    await panel.getByText('boom at line 7').waitFor()
    await panel.getByText('headers').click()
    expect(await panel.textContent()).toContain('x-app')
    await app.close()
  })

  it('a rejected key, a misspelt parameter and a wrong path: each with what to send instead', async () => {
    await clientOf('sk_test_wrong')
      .models.list()
      .catch(() => {})
    await clientOf()
      .submit('aurora-image', { promt: 'a' })
      .catch(() => {})
    await fetch(`${served.url}/v1/modles`, { headers: { authorization: `Bearer ${served.server.apiKey}` } })
    await page.getByText(/^The API key is not known here/).waitFor()
    await page.getByText(/^Invalid input: .*Did you mean prompt\?/).waitFor()
    await page.getByText(/^There is nothing at \/v1\/modles\./).waitFor()
    expect(await page.locator('.table .badge').allTextContents()).toEqual(['404', '400', '401'])
    await page.getByLabel('Search all fields').fill('promt')
    await page.getByText('1 of 3 events').waitFor()
    await page.reload()
    await page.getByText('1 of 3 events').waitFor()
    expect(await page.getByLabel('Search all fields').inputValue()).toBe('promt')
    await page.getByRole('link', { name: 'POST /v1/models/aurora-image/run' }).click()
    await page.getByRole('region', { name: 'Request body' }).getByText('"promt"').waitFor()
  })

  it('a synchronous run while time is paused: its job, while the response waits', async () => {
    await show('#/models/aurora-image')
    await page.getByText('Sync', { exact: true }).click()
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.getByText(/^Processing for/).waitFor()
    expect(served.server.report().unfinishedJobs).toHaveLength(1)
  })

  it('what is switched on is on every screen, and goes off there', async () => {
    served.server.faults.add({ kind: 'unavailable', route: 'getJob' })
    served.server.webhooks.script({ deliveries: 2, gap_ms: 500 })
    for (const hash of ['#/activity', '#/models', '#/controls']) {
      await show(hash)
      await page.getByRole('complementary').getByText('Fault unavailable on getJob').waitFor()
    }
    await page.getByRole('button', { name: 'Switch off: Fault unavailable on getJob' }).click()
    await page.getByRole('button', { name: /^Switch off: Results: delivered 2 times/ }).click()
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0)
    expect(served.server.report().unusedFaults).toEqual([])
  })

  it('is gone and comes back: time is paused meanwhile, and the page shows what there is then', async () => {
    // The job runs on while the server is gone, however slow the machine is.
    const first = await kit.serve({ latency: 3_600_000 })
    const job = await new ModelRun(first.server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    const other = await first.open(`#/jobs/${job.id}`)
    await other.getByRole('button', { name: /^POST run/ }).waitFor()
    await first.stop()
    await other.getByText('The server is gone').waitFor()
    const shown = await other.locator('.clockbar time').textContent()
    await other.getByRole('button', { name: 'Complete', exact: true }).click()
    await other.getByText('The server does not respond.').waitFor()
    await goTo(other, '#/models/aurora-image')
    await other.getByRole('button', { name: /^Run for/ }).click()
    await other.getByRole('form', { name: 'Run the model' }).getByText('The server does not respond.').waitFor()
    expect(await other.getByRole('button', { name: /^Run for/ }).isEnabled()).toBe(true)
    expect(await other.locator('.clockbar time').textContent()).toBe(shown)
    await kit.serve({}, Number(new URL(first.url).port))
    await expect.poll(() => other.getByText('The server is gone').count()).toBe(0)
    await other.getByRole('link', { name: 'Activity' }).click()
    await other.getByRole('heading', { name: /Nothing is charged/ }).waitFor()
    await other.close()
  })
})
