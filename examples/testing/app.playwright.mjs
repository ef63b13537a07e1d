import { once } from 'node:events'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { test as base, expect } from '@playwright/test'
import { ModelRun } from 'modelrun'
import { createApp } from './app.cjs'

/** A service on a port, because the browser reads its images, and the app before it. */
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs
  service: async ({}, use) => {
    const service = createReferenceServer({ clock: 'auto' })
    const { close } = await listen(service)
    await use(service)
    await close()
    service.checkLeftovers()
  },
  app: async ({ service }, use) => {
    const app = createApp(new ModelRun(service.clientOptions())).listen(0, '127.0.0.1')
    await once(app, 'listening')
    await use(`http://127.0.0.1:${app.address().port}`)
    app.closeAllConnections()
    app.close()
  },
})

test('a click draws an image', async ({ page, app }) => {
  await page.goto(app)
  await page.getByRole('button', { name: 'Draw' }).click()
  await expect(page.getByRole('status')).toHaveText('Done')
  await expect(page.locator('img')).toHaveJSProperty('complete', true)
})

test('a lost response is said, and not repeated', async ({ page, app, service }) => {
  service.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
  await page.goto(app)
  await page.getByRole('button', { name: 'Draw' }).click()
  await expect(page.getByRole('status')).toHaveText(/may have been paid/)
  expect(service.journal.text().match(/POST \/v1\/models/g)).toHaveLength(1)
  service.reset() // its job is left on purpose
})
