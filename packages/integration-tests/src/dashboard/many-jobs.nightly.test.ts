import type { ReferenceServer } from '@modelrun/reference-server'
import { expect, it } from 'vitest'
import { describeDashboard } from './kit.ts'

const JOBS = 10_000
const RUNS_ON_EACH_SCREEN = 300

describeDashboard('the dashboard with ten thousand jobs', (kit) => {
  it('counts them all, finds one, and draws the newest while more come', async () => {
    const { server, open } = await kit.serve({ latency: 0, credits: 1_000_000_000 })
    for (let done = 0; done < JOBS; done += 100) await runAtOnce(server, 100)
    const page = await open('#/activity?show=jobs')
    await page.getByText(/^10,000 of /).waitFor()
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(JOBS + 1))
    await page.getByText('These are the newest 200. The search finds the others.').waitFor()
    let runs = 0
    for (const screen of ['activity', 'models', 'controls', 'activity']) {
      await page.getByRole('link', { name: screen, exact: false }).first().click()
      for (let done = 0; done < RUNS_ON_EACH_SCREEN; done += 5) await runAtOnce(server, 5)
      runs += RUNS_ON_EACH_SCREEN
    }
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText(`${new Intl.NumberFormat('en').format(JOBS + runs)} of`).waitFor()
    expect(await page.getByRole('row').count()).toBe(201)
    await page.getByLabel('Search all fields').fill('job_a')
    await page.getByText(/^[\d,]{2,5} of /).waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    expect(usedSize).toBeLessThan(40_000_000)
    await page.close()
  })
})

/** Each run is a request, a job that starts and a job that ends. */
async function runAtOnce(server: ReferenceServer, count: number): Promise<void> {
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a fox' } }),
  }
  await Promise.all(Array.from({ length: count }, () => server.fetch('/v1/models/aurora-image/run', init)))
}
