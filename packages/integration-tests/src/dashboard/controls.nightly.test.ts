import { ModelRun } from 'modelrun'
import { expect, it } from 'vitest'
import { describeDashboard } from './kit.ts'

describeDashboard('the server behind the dashboard', (kit) => {
  it('creates a key and revokes it', async () => {
    const { server, open } = await kit.serve()
    const page = await open('#/controls')
    const keys = page.getByRole('region', { name: 'API keys' })
    await keys.getByLabel('Credits', { exact: true }).fill('20')
    await keys.getByRole('button', { name: 'Create a key' }).click()
    await keys.getByText('20 left').waitFor()
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
})
