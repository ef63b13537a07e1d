import { describe, expect, it } from 'vitest'
import { createReferenceService } from '../../test/reference-service.ts'
import type { ConformanceReport } from '../report.ts'
import { runConformance } from '../run-conformance.ts'
import { formatReport } from './format-report.ts'

/** A report with every verdict: no slow model, and a total that is text. */
async function mixedReport(): Promise<ConformanceReport> {
  const { options, server } = createReferenceService()
  return runConformance({
    ...options,
    models: {},
    only: ['models/every-list', 'models/unknown-parameter', 'models/category', 'runs/held-time'],
    fetch: async (url, init) => {
      const response = await server.fetch(url, init)
      return new Response((await response.text()).replace(/"total":\d+/, '"total":"<14 & more>"'), response)
    },
  })
}

describe('formatReport', () => {
  it('writes what failed with its statement and its proof as text', async () => {
    const text = formatReport(await mixedReport(), 'text')
    expect(text).toMatch(/^Failed\n {2}4\.1-01, .* models\/every-list: \/total is "<14 & more>"; expected an integer/)
    expect(text).toContain('A list holds total, an integer. (section 4.1)')
    expect(text).toMatch(/#\d+ > GET https:\/\/reference\.modelrun\.test\/v1\/models\b/)
    expect(text).toContain('4.1-14 models/unknown-parameter: status 400 with the code VALIDATION_ERROR')
    expect(text).toContain('needs a slow model, one that takes longer than 55 s: runs/held-time')
    expect(text).toMatch(/1 passed, 1 failed, 1 observed, 1 skipped; no credits were spent; \d+ s\n$/)
  })

  it('writes everything as JSON', async () => {
    const report = await mixedReport()
    expect(JSON.parse(formatReport(report, 'json'))).toEqual(JSON.parse(JSON.stringify(report)))
  })

  it('writes a case for each check as JUnit XML, with what XML cannot hold escaped or replaced', async () => {
    const report = await mixedReport()
    const xml = formatReport(report, 'junit')
    expect(xml).toContain('<testsuite name="models" tests="3" failures="1" skipped="0" errors="0">')
    expect(xml).toContain(
      '<failure message="/total is &quot;&lt;14 &amp; more&gt;&quot;; expected an integer, 0 or more">',
    )
    expect(xml).toContain('<skipped message="needs a slow model, one that takes longer than 55 s"/>')
    const [result] = report.results
    const special = {
      ...report,
      results: result === undefined ? [] : [{ ...result, verdict: 'fail', detail: 'a\u{0}\u{1B}b' } as const],
    }
    expect(formatReport(special, 'junit')).toContain('message="a\u{FFFD}\u{FFFD}b"')
  })
})
