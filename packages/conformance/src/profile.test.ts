import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '@modelrun/reference-server'
import { describe, expect, it } from 'vitest'
import { profileOf } from './profile.ts'
import { formatReport } from './reports/format-report.ts'
import { REQUIREMENTS } from './requirements.ts'
import { runConformance } from './run-conformance.ts'
import { createReferenceService } from './test-kit/reference-service.ts'

/** The job's id is in the answer only, so nobody can cancel a run that is held. */
const NOT_OBSERVABLE = ['cancelledSyncRunStatus']

const VARIANTS: readonly AssumptionOptions[] = [
  { asyncRunStatus: 200 },
  { failedSyncRunStatus: 200 },
  { cancelAnswer: 'empty' },
  { cancelOfFinishedJob: 'unchanged' },
  { cancelledJobWebhook: 'sent' },
  { jobFields: 'full' },
  { invalidInputStatus: 422 },
  { unknownCategory: 'reject' },
  { limitAboveMaximum: 'clamp' },
  { runNeedsJobsWrite: true },
  { requestIdHeader: 'none' },
]

const OBSERVING = REQUIREMENTS.filter(({ observation }) => observation !== undefined).map(({ check }) => check)

/** What the suite observes of a server with these assumptions. */
async function observed(assumptions: AssumptionOptions) {
  const { options } = createReferenceService({ assumptions })
  return (await runConformance({ ...options, only: OBSERVING })).profile
}

describe('the profile', () => {
  it('has every switch of the reference server that can be observed', async () => {
    const names = Object.keys(await observed({}))
    expect([...names, ...NOT_OBSERVABLE].toSorted()).toEqual(Object.keys(DEFAULT_ASSUMPTIONS).toSorted())
  })

  it('is what the reference server assumes by default', async () => {
    const { queuedMs, ...profile } = await observed({})
    expect(DEFAULT_ASSUMPTIONS).toMatchObject(profile)
    expect(Math.abs(Number(queuedMs) - DEFAULT_ASSUMPTIONS.queuedMs)).toBeLessThan(150)
  })

  it.each(VARIANTS)('follows the server, which breaks no rule: %j', async (assumptions) => {
    const { options } = createReferenceService({ assumptions })
    const { profile, results } = await runConformance(options)
    expect(profile).toMatchObject(assumptions)
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  it('tells a long queue from a short one', async () => {
    const { queuedMs } = await observed({ queuedMs: 3_000 })
    expect(queuedMs).toBeGreaterThan(2_000)
    expect(queuedMs).toBeLessThan(4_500)
  })

  it('makes another server answer like the observed one, as does the report that holds it', async () => {
    const assumptions = { asyncRunStatus: 200, jobFields: 'full' } as const
    const report = await runConformance({ ...createReferenceService({ assumptions }).options, only: OBSERVING })
    const file = JSON.parse(formatReport(report, 'json'))
    for (const profile of [report.profile, file]) {
      const { options } = createReferenceService({ profile })
      expect((await runConformance({ ...options, only: OBSERVING })).profile).toEqual(report.profile)
    }
  })

  it('leaves out what fits no switch', () => {
    expect(profileOf({ asyncRunStatus: 201, cancelAnswer: 'empty', other: 1 })).toEqual({ cancelAnswer: 'empty' })
  })
})
