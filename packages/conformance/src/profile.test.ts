import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { describe, expect, it } from 'vitest'
import { createReferenceService } from '../test/reference-service.ts'
import { profileOf } from './report.ts'
import { runConformance } from './run-conformance.ts'

/** Other values than the defaults, as many together as one client can notice. */
const OTHERS: AssumptionOptions = {
  creditsOfFailedRun: 'price',
  cancelOfFinishedJob: 'accepted',
  asyncRunStatus: 200,
  failedSyncRunStatus: 422,
  cancelStatus: 204,
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
  return report.profile
}

describe('the profile', () => {
  it('has the settings of what the suite judges, as the reference server has them by default', async () => {
    const { queuedMs: _, cancelOfUnknownJob: __, ...settings } = DEFAULT_ASSUMPTIONS
    expect(await observedOf({})).toEqual(settings)
  })

  it('has the other settings too, and a server with the report behaves like the observed one', async () => {
    const profile = await observedOf({ assumptions: OTHERS })
    expect(profile).toEqual(OTHERS)
    expect(await observedOf({ assumptions: profile })).toEqual(profile)
  })

  it('learns a run that continues where it fails while it is held', async () => {
    const profile = await observedOf({ assumptions: { failedSyncRunStatus: 202 } })
    expect(profile.failedSyncRunStatus).toBe(202)
  })

  it('leaves out what the reference server cannot be set to', () => {
    const observed = { 'settings/asyncRunStatus': 201, 'settings/cancelStatus': 204, 'settings/other': 1 }
    const results = Object.entries(observed).map(([check, observation]) => ({ check, observation }))
    expect(profileOf(results)).toEqual({ cancelStatus: 204 })
  })
})
