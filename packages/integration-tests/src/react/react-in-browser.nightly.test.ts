import { describe, expect, it } from 'vitest'
import { isMissing, note, violations } from '../browser/chromium.ts'
import { draw, jobsOf, openBrowser, openPage, SOON, scriptOfGuide, shows, TEXT } from './kit.ts'

describe.skipIf(isMissing)(`a page with modelrun/react in a real browser${note}`, () => {
  const open = openBrowser()

  it('shows the image of a run', async () => {
    const { page, server, counts } = await open()
    expect(await violations(page)).toEqual([])
    await draw(page)
    await shows(page, 'succeeded')
    const width = await page
      .getByAltText('A lighthouse')
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))
    expect(width).toBeGreaterThan(100)
    expect(server.job(jobsOf(server)[0] ?? '').input).toMatchObject({ prompt: TEXT })
    expect(counts()).toEqual({ posts: 1, credits: 4 })
  })

  it('runs the component of the guide', async () => {
    const { page, counts } = await open([SOON, SOON], await scriptOfGuide())
    await draw(page)
    await page.getByText('succeeded').waitFor()
    expect(await page.locator('img').evaluate((image: HTMLImageElement) => image.decode().then(() => true))).toBe(true)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('idle').waitFor()
    expect(counts()).toEqual({ posts: 1, credits: 4 })
  })

  it.each(['running: processing', 'succeeded'])('finds its run again when it is loaded again at %s', async (status) => {
    const { page, server, counts } = await open([{ result: 'hang' }])
    const complete = () => server.job(jobsOf(server)[0] ?? '').complete()
    await draw(page)
    await shows(page, 'running: processing')
    if (status === 'succeeded') complete()
    await shows(page, status)
    await page.reload()
    if (status !== 'succeeded') complete()
    await shows(page, 'succeeded')
    expect(counts()).toEqual({ posts: 1, credits: 4 })
  })

  it('has a run of its own in each tab, and a copy of a tab follows the same job', async () => {
    const { page, server, context, site, counts } = await open([{ result: 'hang' }, { result: 'hang' }])
    await draw(page)
    await shows(page, 'running: processing')
    const other = await openPage(context, site.origin)
    await shows(other, 'idle')
    await draw(other)
    await shows(other, 'running: processing')
    const [copy] = await Promise.all([context.waitForEvent('page'), other.evaluate('window.open(location.href)')])
    for (const jobId of jobsOf(server)) server.job(jobId).complete()
    await Promise.all([shows(page, 'succeeded'), shows(other, 'succeeded'), shows(copy, 'succeeded')])
    expect(counts()).toEqual({ posts: 2, credits: 8 })
  })

  it('cancels a run, and nothing is charged', async () => {
    const { page, counts } = await open([{ result: 'hang' }])
    await draw(page)
    await shows(page, 'running: processing')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await shows(page, 'cancelled')
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.reload()
    await shows(page, 'idle')
    expect(counts()).toEqual({ posts: 1, credits: 0 })
  })
})
