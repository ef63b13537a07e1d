import { ModelRun } from 'modelrun'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { violations } from '../browser/chromium.ts'
import { describeDashboard, goTo, type Served } from './kit.ts'

const WIDTHS = [360, 768, 1_280, 1_920]

describeDashboard('the dashboard for everybody', (kit) => {
  let served: Served
  let jobId: string

  beforeAll(async () => {
    served = await kit.serve({ clock: 'manual' })
    jobId = await fill(served)
  })

  const screens = () => ({
    activity: '#/activity',
    'a request': '#/activity?show=problems&at=3',
    models: '#/models',
    'a model': '#/models/inkfield%2Fposter-2',
    'a job': `#/jobs/${jobId}`,
    controls: '#/controls',
  })

  it.each([
    ['light', 1_440],
    ['dark', 360],
  ] as const)('breaks no rule of axe on any screen: %s, %i pixels', async (colorScheme, width) => {
    const page = await served.open('', { colorScheme, viewport: { width, height: 800 } })
    for (const [name, hash] of Object.entries(screens())) {
      await goTo(page, hash)
      expect(await violations(page), name).toEqual([])
    }
    expect(await contrastOfDisabled(page)).toBeGreaterThanOrEqual(4.5)
    await page.close()
  })

  it.each(['light', 'dark'] as const)(
    'breaks no rule of axe where nothing has happened yet: %s',
    async (colorScheme) => {
      const { open } = await kit.serve()
      const page = await open('', { colorScheme, viewport: { width: 390, height: 844 } })
      for (const hash of ['#/activity', '#/models', '#/jobs/job_none', '#/controls']) {
        await goTo(page, hash)
        expect(await violations(page), hash).toEqual([])
      }
      await page.close()
    },
  )

  it('fits each screen into every width from 360 to 1,920 pixels', async () => {
    const page = await served.open()
    const tooWide: string[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      for (const [name, hash] of Object.entries(screens())) {
        await goTo(page, hash)
        const overflow = await page.evaluate(() => {
          const main = document.querySelector('main')
          return Math.max(
            document.documentElement.scrollWidth - innerWidth,
            (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
          )
        })
        if (overflow > 0) tooWide.push(`${name} at ${width}: ${overflow}`)
      }
    }
    expect(tooWide).toEqual([])
    await page.close()
  })

  it('is driven by the keyboard alone: from the catalog to an exchange', async () => {
    const page = await served.open('#/models')
    await page.getByLabel('Search models').focus()
    await page.keyboard.type('detailed')
    await tabTo(page, 'Aurora Image')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Aurora Image' }).waitFor()
    await page.getByLabel('prompt').focus()
    await tabTo(page, 'Run for 4 credits')
    await page.keyboard.press('Enter')
    await page.locator('.mark').first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.querySelector('.spoken')?.textContent)).toMatch(
      /^POST run · attempt \d after|^Job queued/,
    )
    await page.close()
  })

  it('has a title for each screen, and starts each at its heading', async () => {
    const page = await served.open()
    const titles = new Set<string>()
    for (const name of ['Models', 'Controls', 'Activity']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name)
      titles.add(await page.title())
    }
    expect([...titles]).toEqual([
      'Models · modelrun reference server',
      'Controls · modelrun reference server',
      'Activity · modelrun reference server',
    ])
    await page.close()
  })

  it('leads past the navigation with the first Tab, and runs a model with Ctrl+Enter', async () => {
    const page = await served.open('#/models/aurora-image')
    await page.getByLabel('prompt').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Aurora Image')
    await page.getByLabel('prompt').focus()
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/#\/jobs\//)
    await page.close()
  })

  it('shows what is chosen where colours are those of the user', async () => {
    const page = await served.open('#/controls', { forcedColors: 'active' })
    const outlineOf = (selector: string) =>
      page.locator(selector).evaluateAll((found) => found.map((one) => getComputedStyle(one).outlineStyle))
    await page.getByText('How new results are delivered').waitFor()
    expect(await outlineOf('.screens [aria-current]')).toEqual(['solid'])
    expect(await outlineOf('.segments input:checked + span')).toEqual(['solid'])
    expect(new Set(await outlineOf('.segments input:not(:checked) + span'))).toEqual(new Set(['none']))
    await goTo(page, '#/activity?show=problems')
    expect(await outlineOf('.views [aria-current]')).toEqual(['solid'])
    await page.close()
  })

  it('moves nothing for people who asked for that', async () => {
    const page = await served.open('#/models', { reducedMotion: 'reduce' })
    const duration = await page
      .locator('.card')
      .first()
      .evaluate((card) => getComputedStyle(card).transitionDuration)
    expect(duration).toBe('0s')
    await page.close()
  })
})

/** Of a disabled button, which `violations` leaves out. */
function contrastOfDisabled(page: Page): Promise<number> {
  return page.evaluate(`{
    const button = Object.assign(document.createElement('button'), { className: 'button', disabled: true })
    const { color, backgroundColor } = getComputedStyle(document.body.appendChild(button))
    const { getContrast, Color } = axe.commons.color
    const parsed = (text) => new Color().parseString(text)
    getContrast(parsed(backgroundColor), parsed(color))
  }`)
}

async function fill({ server }: Served): Promise<string> {
  const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
  server.faults.add({ kind: 'unavailable', route: 'runModel', times: 1 })
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  const webhook = { webhookUrl: 'https://app.test/hook' }
  await client.submit('aurora-image', { prompt: 'a fox' }, webhook).catch(() => {})
  const job = await client.submit('aurora-image', { prompt: 'a fox' }, webhook)
  await job.get()
  await server.clock.advance(5_000)
  await job.get()
  const others = [
    await client.submit('aurora-image', { prompt: 'b' }),
    await client.submit('aurora-image', { prompt: 'c' }),
  ]
  await others[0]?.cancel()
  server.job(others[1]?.id ?? '').fail()
  await client.submit('lumen/aurora-video', { prompt: 'waves' }, webhook)
  return job.id
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const text = await page.evaluate(() => document.activeElement?.textContent?.trim())
    if (text === name) return
  }
  throw new Error(`Forty presses of Tab do not lead to ${name}.`)
}
