import { ModelRun } from 'modelrun'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, type Kit, note, openKit } from './kit.ts'

describe.skipIf(isMissing)(`the server behind the dashboard${note}`, { timeout: 60_000 }, () => {
  let kit: Kit

  beforeAll(async () => {
    kit = await openKit()
  }, 120_000)

  afterAll(() => kit?.close())

  it('goes back to a snapshot', async () => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/world')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByText('snapshot1').waitFor()
    await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The server is in the state of the snapshot.').waitFor()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByText('No jobs yet').waitFor()
    await page.close()
  })

  it('forks the server into a new tab, where time and jobs are its own', async () => {
    const { server, url, open } = await kit.serve({ clock: 'manual' })
    const job = await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    const page = await open('#/world')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: 'Fork into a new tab' }).click(),
    ])
    const host = new URL(url).host
    await tab.getByText(`fork of ${host}`).waitFor()
    expect(new URL(tab.url()).host).not.toBe(host)
    await tab.getByRole('link', { name: 'Jobs' }).click()
    await tab.getByRole('link', { name: job.id }).click()
    await tab.getByRole('button', { name: /^POST run/ }).waitFor()
    await tab.getByRole('button', { name: 'Complete' }).click()
    await tab.getByText('Succeeded', { exact: true }).waitFor()
    expect(server.job(job.id).status).toBe('queued')
    await page.getByRole('button', { name: /^Stop the fork/ }).click()
    await tab.getByText('The server is gone').waitFor()
    expect(await page.getByRole('button', { name: /^Stop the fork/ }).count()).toBe(0)
    await page.context().close()
  })

  it('shows the calls of a test to the control API, where that is wanted, and nothing that the page reads', async () => {
    const { server, url, open } = await kit.serve({ clock: 'manual' })
    const control = (path: string, body: object) =>
      fetch(`${url}/_reference/${path}`, { method: 'POST', body: JSON.stringify(body) })
    await control('faults', { kind: 'unavailable', route: 'getJob', times: 1 })
    const job = await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    const page = await open(`#/jobs/${job.id}`)
    await page.getByRole('button', { name: /^POST run/ }).waitFor()
    expect(await page.locator('.mark.control').count()).toBe(0)
    await page.getByLabel('Show calls of the control API').check()
    const added = page.getByRole('button', { name: /^POST control faults/ })
    await added.focus()
    await page.getByRole('region', { name: 'Exchange' }).getByText('"unavailable"').waitFor()
    await control(`jobs/${job.id}/complete`, {})
    await page.getByRole('button', { name: /^POST control jobs complete/ }).waitFor()
    expect(await page.locator('.mark.control').count()).toBe(2)
    await page.close()
  })

  it('creates a key, limits it and revokes it', async () => {
    const { server, open } = await kit.serve()
    const page = await open('#/world')
    const keys = page.getByRole('region', { name: 'API keys' })
    await keys.getByLabel('Credits', { exact: true }).fill('20')
    await keys.getByRole('button', { name: 'Create a key' }).click()
    await keys.getByText('20 left').waitFor()
    await keys
      .getByLabel(/^Credits for/)
      .last()
      .fill('7')
    await keys.getByRole('button', { name: 'Set credits' }).last().click()
    await keys.getByText('7 left').waitFor()
    await keys
      .getByRole('button', { name: /^Revoke/ })
      .last()
      .click()
    await keys.getByText('revoked').waitFor()
    expect(server.snapshot().keys[1]).toMatchObject({ isRevoked: true })
    await page.close()
  })

  it('is gone and comes back: time is paused meanwhile, and the page shows what there is then', async () => {
    const first = await kit.serve()
    const job = await new ModelRun(first.server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    const page = await first.open(`#/jobs/${job.id}`)
    await page.getByRole('button', { name: /^POST run/ }).waitFor()
    await first.stop()
    await page.getByText('The server is gone').waitFor()
    const time = page.locator('.clockbar time')
    const shown = await time.textContent()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText('The server does not respond.').waitFor()
    expect(await page.getByRole('button', { name: /^Copy as test/ }).isDisabled()).toBe(true)
    const from = await page.evaluate(() => performance.now())
    await page.waitForFunction((start) => performance.now() > start + 1_500, from)
    expect(await time.textContent()).toBe(shown)
    await kit.serve({}, Number(new URL(first.url).port))
    await page.getByText('There is no such job').waitFor()
    expect(await page.getByText('The server is gone').count()).toBe(0)
    await page.close()
  })
})
