import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, launch, note } from './chromium.ts'
import type { PageStory } from './page.ts'
import { type MswPackage, openSite } from './site.ts'

describe.skipIf(isMissing)(`msw handlers in a real browser${note}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  const releases: MswPackage[] = ['msw', 'msw-2']
  it.each(releases)('run a model of two services at once, and draw what they produce, with %s', async (release) => {
    const site = await openSite(release)
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    try {
      await page.goto(site.url)
      await page.waitForFunction('globalThis.usePage')
      const stories = await page.evaluate<PageStory[]>('usePage()')
      expect(stories).toMatchObject([story('https://one.modelrun.test'), story('https://two.modelrun.test/inference')])
      expect(problems).toEqual([])
    } finally {
      await page.close()
      await site.close()
    }
  })
})

function story(baseUrl: string) {
  const outputUrl = expect.stringMatching(new RegExp(`^${baseUrl}/files/`))
  // How many polls it takes is up to the time that the browser takes between them.
  const statuses = expect.arrayContaining(['succeeded'])
  return { modelId: 'aurora-image', statuses, outputUrl, pictureWidth: 512, creditsSpent: 4 }
}
