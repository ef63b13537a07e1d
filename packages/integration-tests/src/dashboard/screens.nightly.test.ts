import { gzipSync } from 'node:zlib'
import { DEFAULT_CATALOG } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeDashboard } from './kit.ts'

describeDashboard('the dashboard in a real browser', (kit) => {
  async function run(page: Page, mode: 'Async' | 'Sync' | 'Webhook'): Promise<string> {
    await page.getByText(mode, { exact: true }).click()
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.waitForURL(/#\/jobs\//)
    return page.url().replace(/.*\//, '')
  }

  it('runs a model from its form and shows the image that the service drew', async () => {
    const { server, open } = await kit.serve({ latency: 0 })
    const page = await open('#/models')
    await page.getByLabel('Search models').fill('detailed images')
    await page.getByRole('link', { name: 'Aurora Image' }).click()
    await page.getByLabel('prompt').fill('a red fox')
    await page.getByLabel('image_size').selectOption('square')
    const jobId = await run(page, 'Sync')
    expect(server.job(jobId).input).toEqual({ prompt: 'a red fox', image_size: 'square', num_images: 1 })
    const image = page.getByRole('img', { name: 'Image of the job: a red fox' })
    const shown = await image.evaluate(pixelsOf)
    expect([shown.width, shown.height]).toEqual([512, 512])
    expect(shown.colours).toBeGreaterThan(20)
    expect(server.credits()).toBe(9_996)
    await page.close()
  })

  it('takes lists and objects as JSON, and nothing that was not typed', async () => {
    const properties = {
      image_urls: { type: 'array' },
      loras: { type: ['object', 'null'] },
      steps: { type: ['integer', 'null'] },
      toString: { type: 'string' },
    }
    const [model] = DEFAULT_CATALOG
    if (model === undefined) throw new Error('The catalog is empty.')
    const input_schema = { type: 'object', properties, required: ['image_urls'] }
    const { server, open } = await kit.serve({ latency: 0, catalog: [{ ...model, input_schema }] })
    const page = await open(`#/models/${model.id}`)
    await page.getByLabel('image_urls').clear()
    await page.getByLabel('image_urls').pressSequentially('[ "a", "b" ]')
    await page.getByLabel('loras').pressSequentially('{ "fox": 0.5 }')
    await page.getByLabel('steps').pressSequentially('12')
    const jobId = await run(page, 'Sync')
    expect(server.job(jobId).input).toEqual({ image_urls: ['a', 'b'], loras: { fox: 0.5 }, steps: 12 })
    await page.close()
  })

  it('has at most 60 kB with gzip: page, script, styles and icon', async () => {
    const { url } = await kit.serve()
    const html = await (await fetch(`${url}/_dashboard/`)).text()
    const paths = Array.from(html.matchAll(/(?:src|href)="\.\/([^"]+)"/g), ([, path]) => path)
    expect(paths).toHaveLength(3)
    const texts = await Promise.all(paths.map(async (path) => (await fetch(`${url}/_dashboard/${path}`)).text()))
    const bytes = [html, ...texts].reduce((sum, text) => sum + gzipSync(text).byteLength, 0)
    expect(bytes).toBeLessThan(60_000)
  })

  it.each([
    ['lumen/aurora-video', 'video'],
    ['vocalis/narrator', 'audio'],
  ])('plays what %s made', async (model, element) => {
    const { open } = await kit.serve({ latency: 0 })
    const page = await open(`#/models/${encodeURIComponent(model)}`)
    await run(page, 'Sync')
    const media = page.locator(`.output ${element}`)
    await media.evaluate((node) => (node as HTMLMediaElement).play())
    await page.waitForFunction(
      (name) => (document.querySelector<HTMLMediaElement>(`.output ${name}`)?.currentTime ?? 0) > 0,
      element,
    )
    await page.close()
  })

  it('shows a slow job in each of its states while time is stepped', async () => {
    const { open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/models/lumen%2Faurora-video')
    await run(page, 'Async')
    const badge = page.locator('.jobhead .badge')
    expect(await badge.textContent()).toBe('Queued')
    await page.getByRole('button', { name: 'Step 1 s' }).click()
    await page.getByText('Processing', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Next change: \+1 min/ }).click()
    await page.getByText('Succeeded', { exact: true }).waitFor()
    const states = page.locator('.pilltext')
    await states.nth(2).waitFor()
    expect(await states.allTextContents()).toEqual(['queued', 'processing', 'succeeded'])
    expect(await page.locator('.credit').allTextContents()).toEqual(['60 reserved', '60 charged'])
    await page.close()
  })

  it('switches a fault on, and shows where it was injected and the attempt that came after it', async () => {
    const { server, open } = await kit.serve({ clock: 'auto' })
    const page = await open('#/controls')
    await page.getByLabel('Times').fill('1')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('Fault unavailable on getJob, 1 of 1 left').waitFor()
    const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
    const job = await client.submit('aurora-image', { prompt: 'a' })
    await job.get().catch(() => {})
    await job.get()
    await expect.poll(() => page.getByText('Fault unavailable').count()).toBe(0)
    await page.goto(`${page.url().replace(/#.*/, '')}#/jobs/${job.id}`)
    const faulty = page.getByRole('button', { name: /503.*fault unavailable \(fault_1\)/ })
    await faulty.focus()
    await page.getByText('Fault unavailable (fault_1) was injected here.').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('button', { name: /^GET job · attempt 2/ }).waitFor()
    expect(await page.locator('.bolt').count()).toBe(1)
    await page.close()
  })

  it.each([
    ['Complete', 'succeeded', 9_996],
    ['Fail', 'failed', 10_000],
  ])('ends a job by hand: %s', async (button, status, credits) => {
    const { server, open } = await kit.serve({ clock: 'manual' })
    const page = await open('#/models/aurora-image')
    const jobId = await run(page, 'Async')
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.locator(`.jobhead .badge.${status}`).waitFor()
    expect([server.job(jobId).status, server.credits()]).toEqual([status, credits])
    await page.close()
  })

  it('counts all jobs, draws the newest of them, and finds the others', async () => {
    const { server, open } = await kit.serve({ latency: 0 })
    const client = new ModelRun(server.clientOptions())
    for await (const _ of client.runMany('aurora-image', Array(250).fill({ prompt: 'a fox' })));
    const page = await open('#/activity?show=jobs')
    await page.getByText(/^250 of /).waitFor()
    await page.getByText('These are the newest 200. The search finds the others.').waitFor()
    expect(await page.getByRole('row').count()).toBe(201)
    const [first] = server.journal.entries({ kind: 'job' })
    await page.getByLabel('Search all fields').fill(first?.kind === 'job' ? first.job_id : '')
    await page.getByText(/^1 of /).waitFor()
    await page.close()
  })
})

/** Size of an image and how many colours are in it. */
async function pixelsOf(node: Element): Promise<{ width: number; height: number; colours: number }> {
  const image = node as HTMLImageElement
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  context?.drawImage(image, 0, 0)
  const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] }
  const colours = new Set<number>()
  for (let at = 0; at < data.length; at += 4 * 97) {
    colours.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0))
  }
  return { width, height, colours: colours.size }
}
