import assert from 'node:assert/strict'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createServer } from 'vite'

const { BROWSER } = process.env
const skip = BROWSER === undefined && 'BROWSER, the path of a Chromium, is not set'

test('a page works without a backend, and within its budget', { skip }, async (t) => {
  const root = import.meta.dirname
  await mkdir(join(root, 'public'), { recursive: true })
  // What `npx msw init public` does.
  const script = fileURLToPath(import.meta.resolve('msw/mockServiceWorker.js'))
  await copyFile(script, join(root, 'public/mockServiceWorker.js'))
  const conditions = process.execArgv.flatMap((option) => option.match(/^--conditions=(.+)$/)?.[1] ?? [])
  const site = await createServer({
    ...{ root, logLevel: 'error', cacheDir: join(root, 'public/.vite') },
    resolve: { conditions: [...conditions, 'module', 'browser', 'development'] },
    server: { port: 0, host: '127.0.0.1' },
  })
  await site.listen()
  const browser = await chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'] })
  t.after(async () => {
    await browser.close()
    await site.close()
    await rm(join(root, 'public'), { recursive: true })
  })

  const page = await browser.newPage()

  await page.goto(site.resolvedUrls?.local[0] ?? '')
  const status = page.getByRole('status')
  const draw = async (expected: string) => {
    await page.getByRole('button', { name: 'Draw' }).click()
    await status.filter({ hasText: expected }).waitFor()
  }
  await status.filter({ hasText: 'Ready' }).waitFor()
  await draw('Done')
  assert.ok(await page.locator('img').evaluate((image: HTMLImageElement) => image.decode().then(() => true)))
  await draw('Done')
  await draw('It failed.')
})
