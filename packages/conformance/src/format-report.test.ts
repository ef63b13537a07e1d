import { describe, expect, it } from 'vitest'
import { createReferenceService } from '../test/reference-service.ts'
import { formatReport } from './format-report.ts'
import type { ConformanceReport } from './report.ts'
import { runConformance } from './run-conformance.ts'

/** A report with every verdict: no slow model, and a total that is a string. */
async function mixedReport(): Promise<ConformanceReport> {
  const { options, server } = createReferenceService()
  return runConformance({
    ...options,
    models: {},
    only: ['models', 'settings/unknownModel', 'runs/held-time'],
    fetch: async (url, init) => {
      const response = await server.fetch(url, init)
      return new Response((await response.text()).replace(/"total":\d+/, '"total":"<14 & more>"'), response)
    },
  })
}

describe('formatReport', () => {
  it('writes what failed with its statement and its proof as text', async () => {
    const text = formatReport(await mixedReport())
    expect(text).toMatch(
      /^Failed\n {2}models\/every-list: GET \/v1\/models: \/total is "<14 & more>"; expected an integer/,
    )
    expect(text).toMatch(/One of these does not hold, or more:\n.*\n.*A list holds total, an integer\./)
    expect(text).toMatch(/#\d+ > GET https:\/\/reference\.modelrun\.test\/v1\/models\b/)
    expect(text).toContain('settings/unknownModel: {"status":404,"code":"NOT_FOUND"}')
    expect(text).toContain('needs a slow model, one that takes longer than 55 s: runs/held-time')
    expect(text).toMatch(/\d passed, 1 failed, 1 observed, \d skipped; no credits were spent; \d+ s\n$/)
  })

  it('names what one exchange proves together', async () => {
    const report = await mixedReport()
    const [failed] = report.results.filter(({ verdict }) => verdict === 'fail')
    if (failed === undefined) throw new Error('nothing failed')
    const other = { ...failed, check: 'models/other', detail: 'another finding' }
    const text = formatReport({ ...report, results: [failed, other] })
    expect(text.match(/#\d+ > /g)?.length).toBe(failed.exchanges.length)
  })
})
