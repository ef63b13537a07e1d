import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, type Kit, note, openKit } from './kit.ts'

describe.skipIf(isMissing)(`a run of the dashboard whose connection breaks${note}`, { timeout: 60_000 }, () => {
  let kit: Kit

  beforeAll(async () => {
    kit = await openKit()
  }, 120_000)

  afterAll(() => kit?.close())

  // Chromium sends a POST again when a connection that was used before breaks: it would pay twice, and hide the fault.
  it.each([
    ['reset', 'after', 1],
    ['empty-reply', 'after', 1],
    ['reset', 'before', 0],
    ['empty-reply', 'before', 0],
    ['refused', 'before', 0],
  ] as const)('by %s %s the work is not sent again, and the page says so', async (kind, when, jobCount) => {
    const { server, url, open } = await kit.serve({ clock: 'system' })
    const page = await open('#/models/aurora-image')
    server.faults.add({ kind, when, route: 'runModel', times: 1 })
    await page.getByLabel('prompt').fill('a red fox')
    await page.getByRole('button', { name: /^Run for/ }).click()
    await page.getByText('No response: the connection broke.').waitFor()
    const runs = server.journal
      .entries({ kind: 'request' })
      .filter((entry) => entry.kind === 'request' && entry.route === 'runModel')
    const { jobs } = (await (await fetch(`${url}/_reference/jobs`)).json()) as { jobs: unknown[] }
    expect([runs.length, jobs.length]).toEqual([1, jobCount])
    await page.close()
  })
})
