import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { describe, expect, it } from 'vitest'
import { createReferenceService } from '../test/reference-service.ts'
import { profileOf } from './profile.ts'
import { formatReport } from './reports/format-report.ts'
import { runConformance } from './run-conformance.ts'

/** Other values than the defaults, as many together as one client can notice. */
const OTHERS: AssumptionOptions = {
  creditsOfFailedRun: 'price',
  queuedMs: 3_000,
  cancelOfFinishedJob: 'accepted',
  asyncRunStatus: 200,
  failedSyncRunStatus: 422,
  cancelStatus: 204,
  cancelOfUnknownJob: 'accepted',
  webhookNeedsManage: true,
  cancelledJobWebhook: 'sent',
  deliveriesOfOneResult: 3,
  unknownModel: { status: 410, code: 'NO_MODEL' },
  unknownJob: { status: 403, code: 'NOT_YOURS' },
  wrongRequest: { status: 422, code: 'WRONG' },
  insufficientCredits: { status: 403, code: 'NO_CREDITS' },
}

async function observedOf(service: Parameters<typeof createReferenceService>[0]) {
  const report = await runConformance({ ...createReferenceService(service).options, only: ['settings'] })
  expect(report.results.filter(({ verdict }) => verdict !== 'observed')).toEqual([])
  const { queuedMs = 0, ...profile } = report.profile
  return { profile, queuedMs, report }
}

// The time limit is for a busy machine.
describe('the profile', { timeout: 60_000 }, () => {
  it('has every setting as the reference server has it by default', async () => {
    const { profile, queuedMs } = await observedOf({})
    expect({ ...profile, queuedMs: 200 }).toEqual(DEFAULT_ASSUMPTIONS)
    expect(Math.abs(queuedMs - 200)).toBeLessThan(150)
  })

  it('has the other settings too, and a server with the report behaves like the observed one', async () => {
    const { profile, queuedMs, report } = await observedOf({ assumptions: OTHERS })
    expect({ ...profile, queuedMs: 3_000 }).toEqual(OTHERS)
    expect(Math.abs(queuedMs - 3_000)).toBeLessThan(1_500)
    const again = await observedOf({ assumptions: JSON.parse(formatReport(report, 'json')).profile })
    expect(again.profile).toEqual(profile)
  })

  it('learns a run that continues where it fails while it is held', async () => {
    const { profile } = await observedOf({ assumptions: { failedSyncRunStatus: 202 } })
    expect(profile.failedSyncRunStatus).toBe(202)
  })

  it('leaves out what the reference server cannot be set to', () => {
    expect(profileOf({ asyncRunStatus: 201, cancelStatus: 204, other: 1 })).toEqual({ cancelStatus: 204 })
  })
})
