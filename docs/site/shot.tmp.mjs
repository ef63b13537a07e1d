import { createServer } from 'node:http'
import { chromium } from 'playwright-core'
import sirv from 'sirv'

const server = createServer(sirv(process.argv[2]))
await new Promise((r) => server.listen(0, '127.0.0.1', r))
const site = `http://127.0.0.1:${server.address().port}`
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const [name, path, w, h] of [
  ['index-1440', '/', 1440, 900],
  ['index-360', '/', 360, 740],
  ['playground-1440', '/playground/', 1440, 900],
]) {
  const page = await browser.newPage({ viewport: { width: w, height: h } })
  await page.goto(site + path)
  if (path === '/playground/') {
    await page.locator('#run').click()
    await page
      .locator('.play:not([data-state=running])')
      .waitFor({ timeout: 30000 })
      .catch(() => {})
  }
  await page.screenshot({ path: `/tmp/w-docs-shots/${name}.png`, fullPage: path === '/playground/' })
  await page.close()
}
await browser.close()
server.close()
