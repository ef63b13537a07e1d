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
    const page = await open('#/controls')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByText(/^snapshot 1 of/).waitFor()
    await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The server is in the state of the snapshot.').waitFor()
    await page.reload()
    await page.getByText(/^snapshot 1 of/).waitFor()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: /Nothing is charged/ }).waitFor()
    await page.close()
  })

  it('creates a key, limits it and revokes it', async () => {
    const { server, open } = await kit.serve()
    const page = await open('#/controls')
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

  it('resets everything only after a question', async () => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const job = await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'a' })
    const page = await open('#/controls')
    const reply = (isYes: boolean) => page.once('dialog', (dialog) => (isYes ? dialog.accept() : dialog.dismiss()))
    reply(false)
    await page.getByRole('button', { name: 'Reset everything' }).click()
    expect(server.job(job.id).status).toBe('queued')
    reply(true)
    await page.getByRole('button', { name: 'Reset everything' }).click()
    await page.getByText('Keys and time are as they were.').waitFor()
    expect(server.report().unfinishedJobs).toEqual([])
    await page.close()
  })

  it('makes a test of what an app did, also after a reload and in a second tab', async () => {
    const { server, url, open } = await kit.serve({ clock: 'manual' })
    const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url, clock: server.clock, maxRetries: 0 })
    server.faults.add({ kind: 'unavailable', route: 'runModel', times: 1 })
    await client.submit('aurora-image', { prompt: 'mine' }).catch(() => {})
    const job = await client.submit('aurora-image', { prompt: 'mine' })
    await job.cancel()
    for (const _ of ['first tab', 'second tab']) {
      const page = await open(`#/jobs/${job.id}`)
      await page.reload()
      await page.getByRole('button', { name: 'Make a test of this job' }).click()
      const text = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
      expect(text).toContain("server.faults.add({ kind: 'unavailable', route: 'runModel', times: 1 })")
      expect(text).toContain('rejects.toThrow()')
      expect(text).toContain("prompt: 'mine'")
      expect(text).toContain('await job1.cancel()')
      await page.close()
    }
  })
})
