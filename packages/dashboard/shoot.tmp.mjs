import { chromium } from 'playwright-core'
const url = process.argv[2]
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const shots = process.argv.slice(3)
for (const theme of ['light', 'dark']) for (const width of [1280, 390]) {
  const page = await browser.newPage({ viewport: { width, height: width > 500 ? 800 : 844 }, colorScheme: theme })
  page.on('console', (m) => { if (m.type() === 'error') console.log('console', m.text()) })
  page.on('pageerror', (e) => console.log('pageerror', e.message))
  for (const shot of shots) {
    const [name, hash] = shot.split('=')
    await page.goto(`${url}/_dashboard/${hash}`)
    await page.waitForSelector('main h1, main .empty, main article')
    await page.waitForTimeout(500)
    await page.screenshot({ path: `/tmp/dash/${name}-${width}-${theme}.png` })
  }
  await page.close()
}
await browser.close()
