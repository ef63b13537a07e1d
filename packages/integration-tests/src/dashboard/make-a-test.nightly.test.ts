import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ModelRun } from 'modelrun'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, type Kit, note, openKit } from './kit.ts'

const here = dirname(fileURLToPath(import.meta.url))
const root = fileURLToPath(new URL('../../../../', import.meta.url))

describe.skipIf(isMissing)(`what was done to the server, as a test${note}`, { timeout: 90_000 }, () => {
  let kit: Kit

  beforeAll(async () => {
    kit = await openKit()
  }, 120_000)

  afterAll(() => kit?.close())

  it('passes in vitest: faults, runs, results by hand, deliveries, keys and time', async () => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/controls')
    await page.getByLabel('Route').selectOption('runModel')
    await page.getByLabel('Times').fill('1')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('injected 0 times').waitFor()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('Twice', { exact: true }).click()
    await page.getByText('Each result: delivered 2 times').waitFor()
    await goTo(page, '#/models/aurora-image')
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.getByText(/^503 /).waitFor()
    await runAs(page, 'Webhook')
    await step(page, 3)
    await runAs(page, 'Async')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await runAs(page, 'Async')
    await page.getByRole('button', { name: 'Hang' }).click()
    await step(page, 3)
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await page.getByText('Failed', { exact: true }).waitFor()
    const text = await copied(page)
    expect(server.credits()).toBe(9_996)
    expect(text).toContain("server.faults.add({ kind: 'unavailable', route: 'runModel', times: 1 })")
    expect(text).toContain('server.webhooks.script({ deliveries: 2, gap_ms: 500 })')
    expect(text).toContain("server.script('aurora-image', [{ result: 'hang' }])")
    expect(text).toContain('await server.clock.advance(3_000)')
    expect(text).toContain('expect(server.credits()).toBe(9996)')
    expect(await runInVitest(text)).toContain('1 passed')
    await page.close()
  })

  it('has the clock of the page: paused, stepped and sped up', async () => {
    const { server, open } = await kit.serve({ clock: 'system', latency: 600_000 })
    const page = await open('#/models/aurora-image')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Time is paused', { exact: true }).waitFor()
    const paused = await runAs(page, 'Async')
    await step(page, 3)
    await goTo(page, `#/jobs/${paused}`)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await goTo(page, '#/controls')
    await page.getByRole('slider', { name: 'Speed' }).fill('2')
    await page.getByText('100 × as fast').first().waitFor()
    await goTo(page, '#/models/aurora-image')
    const fast = await runAs(page, 'Async')
    await expect.poll(() => server.job(fast).status, { timeout: 20_000 }).toBe('succeeded')
    const failed = await runAs(page, 'Webhook')
    await goTo(page, `#/jobs/${failed}`)
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await page.getByText('Failed', { exact: true }).waitFor()
    const text = await copied(page)
    expect(text).toContain('// Time was paused.')
    expect(text).toContain('// Time continued 100 times as fast.')
    expect(text).toContain('await server.clock.advance(3_000)')
    expect(text).toMatch(/\{ result: 'succeeded', after_ms: 60\d{4} \}/)
    expect(text).toContain(`expect(server.credits()).toBe(${server.credits()})`)
    expect(await runInVitest(text)).toContain('1 passed')
    await page.close()
  })

  it('fails in vitest when the service behaves in another way', async () => {
    const { open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/models/aurora-image')
    await runAs(page, 'Async')
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('Succeeded', { exact: true }).waitFor()
    const text = await copied(page)
    expect(await runInVitest(text)).toContain('1 passed')
    expect(await runInVitest(text.replace('.complete()', '.fail()'))).toContain('1 failed')
    await page.close()
  })

  it('has the run of a job that a client of the user made', async () => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const job = await new ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'it\'s a "quote"\n' })
    const page = await open(`#/jobs/${job.id}`)
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('Succeeded', { exact: true }).waitFor()
    const text = await copied(page)
    expect(text).toContain('await client.submit(')
    expect(await runInVitest(text)).toContain('1 passed')
    await page.close()
  })

  it('has no key in it, nor has what is copied of an exchange', async () => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/models/aurora-image')
    await runAs(page, 'Async')
    expect(await copied(page)).not.toContain(server.apiKey)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^aurora-image/ }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
    expect(await page.content()).not.toContain(server.apiKey)
    await page.close()
  })
})

async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((target) => {
    location.hash = target
  }, hash)
}

/** @returns the job */
async function runAs(page: Page, mode: string): Promise<string> {
  const result = page.getByRole('region', { name: 'Result' })
  const known = result.getByRole('link', { name: /^job_/ })
  const before = (await known.count()) > 0 ? await known.textContent() : ''
  await page.getByText(mode, { exact: true }).click()
  await page.getByRole('button', { name: /^Run for/ }).click()
  const link = result.getByRole('link', { name: /^job_/ })
  await expect.poll(() => link.textContent()).not.toBe(before)
  return (await link.textContent()) ?? ''
}

async function step(page: Page, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const shown = page.locator('.clockbar time')
    const before = await shown.textContent()
    await page.getByRole('button', { name: 'Step 1 s' }).click()
    await expect.poll(() => shown.textContent()).not.toBe(before)
  }
}

async function copied(page: Page): Promise<string> {
  if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
  await goTo(page, '#/activity')
  await page.getByRole('button', { name: 'Make a test of it all' }).click()
  return (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
}

/** Runs a file in a vitest of its own, as a user would, and gives its report. */
async function runInVitest(text: string): Promise<string> {
  const folder = await mkdtemp(join(here, '.copied-'))
  await writeFile(join(folder, 'copied.test.ts'), text)
  const config =
    "export default { resolve: { conditions: ['@modelrun/source', 'node'] }, ssr: { resolve: { conditions: ['@modelrun/source', 'node'] } } }"
  await writeFile(join(folder, 'vitest.config.js'), config)
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const args = [vitest, 'run', '--root', folder, '--reporter', 'default', '--no-color']
  const env = { ...process.env, VITEST: undefined, VITEST_MODE: undefined, NO_COLOR: '1', FORCE_COLOR: undefined }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env }).catch((error) => error)
    return stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}
