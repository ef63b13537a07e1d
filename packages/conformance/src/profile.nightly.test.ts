import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '@modelrun/reference-server'
import { describe, expect, it } from 'vitest'
import { createReferenceService } from '../test/reference-service.ts'
import { CALIBRATION, profileOf } from './calibration.ts'
import type { ServiceProfile } from './profile.ts'
import { formatReport } from './reports/format-report.ts'
import { REQUIREMENTS } from './requirements.ts'
import { runConformance } from './run-conformance.ts'

/** Of the default server: a category is rejected only where `unknownCategory` says so. */
const ALWAYS_REJECTED = Object.keys(DEFAULT_ASSUMPTIONS.rejections)
  .filter((kind) => kind !== 'unknownCategory')
  .toSorted()

/** Only the response has the job's id, so a held run cannot be cancelled. */
const NOT_OBSERVABLE = ['cancelledSyncRunStatus']

const rejection = (status: number, code: string) => ({ status, code })

const VARIANTS: readonly ServiceProfile[] = [
  { asyncRunStatus: 200 },
  { asyncRunWithWebhook: 'processing' },
  { failedSyncRunStatus: 200 },
  { failedSyncRunBody: 'error' },
  { failedSyncRunBody: ['/job_id', '/error', '/credits_used'] },
  { failedSyncRunStatus: 202, failedSyncRunBody: ['/job_id', '/status', '/error'] },
  { deliveryFields: ['failed/attempts', 'succeeded/model_id'] },
  {
    errorMembers: {
      requests: { error: { details: [] }, path: '/v1' },
      unauthorized: {},
      forbidden: { error: { permission: 'jobs:read' } },
      jobs: { error: { provider: 'x', retries: 1 } },
      runs: { error: { provider: 'y' } },
      deliveries: { error: { provider: 'z' } },
    },
    rejections: {
      unknownJob: { ...rejection(404, 'NOT_FOUND'), members: {} },
      brokenJson: { ...rejection(400, 'VALIDATION_ERROR'), members: { error: { at: { line: 1 } } } },
    },
  },
  { rejections: { invalidInput: { ...rejection(422, 'WRONG'), members: { error: { field: '/input' } } } } },
  { failedSyncRunBody: 'error', errorMembers: { runs: { error: { details: { at: 1 } } } } },
  { unfinishedJobStatus: 202 },
  { cancelStatus: 202 },
  { cancelStatus: 204, cancelFields: [] },
  { cancelFields: ['/job_id', '/status'] },
  { cancelledJobWebhook: 'sent' },
  { deliveriesOfOneResult: 3 },
  { jobFields: ['created_at', 'job_id', 'progress'] },
  { jobFields: ['failed/logs', 'job_id', 'succeeded/logs'] },
  {
    jobFields: ['/success', 'completed_at', 'progress', 'succeeded/createdAt'],
    cancelFields: ['/data/model/name', '/data/status'],
    deliveryFields: ['succeeded/tags'],
    runFields: ['queued/links'],
    memberValues: {
      createdAt: 1_767_225_600_000,
      links: { self: '/v1/jobs' },
      name: 'Aurora',
      success: true,
      progress: 0.5,
      'queued/completed_at': null,
      'queued/progress': null,
      tags: ['a'],
    },
  },
  {
    listMembers: {
      more: { hasMore: true, nextOffset: 1 },
      last: { hasMore: false, nextOffset: null },
      entries: { tags: ['a'] },
      details: { license: null, tags: ['a'] },
    },
  },
  { absentJobFields: 'null' },
  { runFields: ['completed/credits_remaining', 'failed/eta_ms', 'processing/created_at', 'queued/message'] },
  { creditsOfFailedRun: 'price' },
  { whenCharged: 'start' },
  { unknownCategory: 'all' },
  { unknownCategory: 'reject', rejections: { unknownCategory: rejection(422, 'BAD_CATEGORY') } },
  { searchCase: 'counts' },
  { searchWords: 'whole' },
  { plainSlashInPath: 'unknown' },
  { trailingSlash: 'served', headRequests: 'rejected' },
  { bearerCase: 'counts' },
  { runNeedsJobsWrite: true },
  { webhookNeedsManage: true },
  { requestIdHeader: 'none' },
  ...Object.keys(DEFAULT_ASSUMPTIONS.rejections)
    .filter((kind) => kind !== 'unknownCategory' && !/^sync(Text|Yes)$/.test(kind))
    .map((kind) => ({ rejections: { [kind]: rejection(418, 'TEAPOT') } })),
  ...(['missingParameter', 'invalidInput', 'unknownParameter', 'unknownMember'] as const).map(accepted),
  ...(['otherContentType', 'unknownQueryParameter', 'malformedWebhookUrl', 'limitZero'] as const).map(accepted),
  { rejections: { limitNegative: 'default', limitText: 'default', limitAboveMaximum: 'default' } },
  {
    rejections: {
      limitZero: 'asked',
      offsetNegative: 'default',
      pageFraction: 'accepted',
      offsetBeyondEnd: 'accepted',
    },
  },
  { rejections: { syncWord: 'async', syncText: rejection(418, 'TEAPOT') } },
  { rejections: { webhookScheme: 'accepted', syncDigit: 'async' } },
  { rejections: { webhookScheme: 'default' } },
  { rejections: { syncWord: 'async', syncDigit: 'accepted', syncYes: rejection(418, 'TEAPOT') } },
  {
    rejections: {
      webhookNull: 'default',
      webhookEmpty: 'accepted',
      webhookNumber: 'default',
      optionalNull: 'accepted',
    },
  },
  {
    rejections: { malformedWebhookUrl: 'default', pageEmpty: 'default', pageMixed: 'asked', categoryEmpty: 'default' },
  },
  // In another order than the default, with mistakes that are reported differently.
  ordered(['runModel', 'models:run', 'json', 'body', 'credits', 'webhook', 'input', 'webhooks:manage']),
  ordered(['json', 'models:run', 'runModel', 'body', 'input', 'webhook', 'webhooks:manage', 'credits']),
  { rejections: { syncWord: 'async', syncText: 'accepted', syncNumber: 'async', syncNull: 'accepted' } },
  { rejections: { cancelOfUnknownJob: { status: 204, code: null, fields: [] } } },
  { rejections: { cancelOfFinishedJob: { status: 200, code: null, fields: ['/status'] } } },
  { rejections: { cancelOfCancelledJob: { status: 202, code: null, fields: ['/data/job_id'] } } },
]

function accepted(kind: keyof NonNullable<ServiceProfile['rejections']>): ServiceProfile {
  return { rejections: { [kind]: 'accepted' } }
}

function ordered(checkOrder: NonNullable<ServiceProfile['checkOrder']>): ServiceProfile {
  const kinds = ['unknownJob', 'brokenJson', 'invalidBody', 'webhookScheme', 'missingParameter', 'insufficientCredits']
  const ofReads = ['model', 'models:read', 'job', 'jobs:read', 'cancelledJob', 'jobs:write'] as const
  return {
    checkOrder: [...ofReads, ...checkOrder],
    rejections: Object.fromEntries(kinds.map((kind) => [kind, rejection(418, kind)])),
  }
}

const OBSERVING = REQUIREMENTS.filter(({ observation }) => observation !== undefined).map(({ check }) => check)

/** What the suite observes of a server with these assumptions. */
async function observed(assumptions: AssumptionOptions) {
  const { options } = createReferenceService({ assumptions })
  return (await runConformance({ ...options, only: OBSERVING })).profile
}

describe('the profile', { timeout: 60_000 }, () => {
  it('has every switch of the reference server that can be observed', async () => {
    const names = Object.keys(await observed({}))
    expect([...names, ...NOT_OBSERVABLE].toSorted()).toEqual(Object.keys(DEFAULT_ASSUMPTIONS).toSorted())
  })

  it('is what the reference server assumes by default', async () => {
    const { queuedMs, ...profile } = await observed({})
    expect(DEFAULT_ASSUMPTIONS).toMatchObject(profile)
    expect(Object.keys(profile.rejections ?? {}).toSorted()).toEqual(ALWAYS_REJECTED)
    expect(Math.abs(Number(queuedMs) - DEFAULT_ASSUMPTIONS.queuedMs)).toBeLessThan(150)
  })

  // Concurrent, as a run of the suite waits for the silent receiver most of the time.
  it.concurrent.each(VARIANTS)('passes a server with %j', async (assumptions) => {
    const { options } = createReferenceService({ assumptions })
    const { profile, results } = await runConformance(options)
    expect(profile).toMatchObject(assumptions)
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  it.each([1, 2, 71])('has the members of a page that others follow with the seed %i', async (seed) => {
    const listMembers = { more: { hasMore: true }, last: {}, entries: {}, details: {} }
    const { options } = createReferenceService({ assumptions: { listMembers } })
    const { profile } = await runConformance({ ...options, seed, only: OBSERVING })
    expect(profile.listMembers).toEqual({ more: { hasMore: true } })
  })

  it('measures a long queue and a short one', async () => {
    const { queuedMs } = await observed({ queuedMs: 3_000 })
    expect(queuedMs).toBeGreaterThan(2_000)
    expect(queuedMs).toBeLessThan(4_500)
  })

  it('makes another server respond like the observed one, as does the report that holds it', async () => {
    const assumptions = { asyncRunStatus: 200, jobFields: ['id'] } as const
    const report = await runConformance({ ...createReferenceService({ assumptions }).options, only: OBSERVING })
    const file = JSON.parse(formatReport(report, 'json'))
    for (const profile of [report.profile, file]) {
      const { options } = createReferenceService({ profile })
      expect((await runConformance({ ...options, only: OBSERVING })).profile).toEqual(report.profile)
    }
  })

  it('has each observation of the statements applied, or not with a reason', () => {
    const names = REQUIREMENTS.flatMap(({ observation }) => observation ?? [])
    const { rejections, ...switches } = DEFAULT_ASSUMPTIONS
    const known = [...Object.keys(CALIBRATION), ...Object.keys(switches), ...Object.keys(rejections)]
    expect(names.filter((name) => !known.includes(name))).toEqual([])
    expect(Object.keys(CALIBRATION).filter((name) => !names.includes(name))).toEqual([])
  })

  it('leaves out what the reference server cannot do, and says why', () => {
    const observations = { asyncRunStatus: 201, cancelStatus: 204, rateLimit: { status: 429, code: 'SLOW' } }
    expect(profileOf(observations)).toEqual({
      profile: { cancelStatus: 204 },
      notApplied: [
        { name: 'asyncRunStatus', observed: 201, reason: expect.any(String) },
        { name: 'rateLimit', observed: { status: 429, code: 'SLOW' }, reason: expect.stringContaining('fault') },
      ],
    })
  })
})
