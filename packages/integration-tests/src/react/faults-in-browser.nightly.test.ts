import { describe, expect, it } from 'vitest'
import { isMissing, note } from '../browser/chromium.ts'
import { draw, jobsOf, openBrowser, shows } from './kit.ts'

describe.skipIf(isMissing)(`useRun in a real browser${note}`, () => {
  const open = openBrowser()

  it.each([
    ['a lost response', { kind: 'reset', route: 'runModel', when: 'after' }, 'unknown', 1],
    ['a 500', { kind: 'server-error', route: 'runModel', when: 'after' }, 'unknown', 1],
    ['a cut response that names the job', { kind: 'truncated-body', route: 'runModel', bytes: 60 }, 'succeeded', 1],
    [
      'a rejection for good',
      { kind: 'response', route: 'runModel', status: 422, body: { error: { code: 'NO', message: 'No.' } } },
      'failed',
      0,
    ],
    ['a 429', { kind: 'rate-limit', route: 'runModel', times: 1, retry_after: 0 }, 'succeeded', 1],
    ['a web page instead of a state', { kind: 'bad-gateway', route: 'getJob', times: 2 }, 'succeeded', 1],
    ['a reset of two polls', { kind: 'reset', route: 'getJob', times: 2 }, 'succeeded', 1],
  ] as const)('charges once after %s', async (...[, fault, status, accepted]) => {
    const { page, server } = await open()
    server.faults.add(fault)
    await draw(page)
    await shows(page, status)
    server.faults.clear()
    await page.reload()
    await shows(page, status === 'failed' ? 'idle' : status)
    expect(jobsOf(server)).toHaveLength(accepted)
  })
})
