import { describe, expect, it } from 'vitest'
import { runConformance } from '../../packages/conformance/src/run-conformance.ts'
import { mixedChoices, singleChoices } from './choose.ts'
import type { LegalChoices } from './legal-choices.ts'
import { legalOptions } from './legal-options.ts'

const MIXTURES = Array.from({ length: 60 }, (_, index) => index + 1)

async function resultsOf(choices: Partial<LegalChoices>) {
  return (await runConformance(legalOptions(choices).options)).results
}

async function failuresOf(choices: Partial<LegalChoices>): Promise<string[]> {
  const failed = (await resultsOf(choices)).filter(({ verdict }) => verdict === 'fail')
  return failed.map(({ check, detail }) => `${check}: ${detail}`)
}

describe('a service that keeps to the specification', () => {
  it('passes every statement with the default choices', async () => {
    const unsettled = (await resultsOf({})).filter(({ verdict }) => verdict === 'fail' || verdict === 'skipped')
    expect(unsettled).toEqual([])
  })

  it.each(singleChoices())('passes with %j', async (choices) => {
    expect(await failuresOf(choices)).toEqual([])
  })

  it.each([
    { foundFirst: 'body', plainHttpWebhook: { status: 422, code: 'HTTPS_REQUIRED' } },
    { creditsOfFailed: 'refunded', refundMs: 200_000 },
    { takenAtStart: true, refundMs: 200_000 },
    { takenAtStart: true, ledgerDelayMs: 4_000 },
    ...(['RUN_FAILED', 'RUN_FAILED of a job'] as const).flatMap((failedSyncCode) => {
      const failing = { failedSync: 422, failedSyncBody: 'error-only', failedSyncCode } as const
      return [{ ...failing, creditsOfFailed: 'charged' } as const, { ...failing, providerFails: 'seventh' } as const]
    }),
  ] satisfies Partial<LegalChoices>[])('passes with %j together', async (choices) => {
    expect(await failuresOf(choices)).toEqual([])
  })

  it.each(MIXTURES)('passes with the mixture %i of choices', async (seed) => {
    expect(await failuresOf(mixedChoices(seed))).toEqual([])
  })

  it.each(MIXTURES.slice(0, 5))('passes with the mixture %i without runs too', async (seed) => {
    const { options } = legalOptions(mixedChoices(seed))
    const { summary } = await runConformance({ ...options, allowRuns: false })
    expect(summary.fail).toBe(0)
  })
})

describe('what a service gives no occasion to judge', () => {
  const verdicts = async (choices: Partial<LegalChoices>, ...checks: string[]) =>
    (await resultsOf(choices)).filter(({ check }) => checks.includes(check)).map(({ verdict }) => verdict)

  it('is skipped: files that are not there, are not public, or cannot be read over http', async () => {
    expect(await verdicts({ items: 'none' }, 'files/can-be-read')).toEqual(['skipped'])
    expect(await verdicts({ fileAccess: 'needs-key' }, 'files/can-be-read')).toEqual(['skipped'])
    expect(await verdicts({ fileUrls: 'storage' }, 'files/can-be-read')).toEqual(['skipped'])
  })

  it('is skipped with the reason: runs that fail at the provider each time', async () => {
    const { results, summary } = await runConformance(legalOptions({ providerFails: 'always' }).options)
    const reasons = new Map(results.map(({ check, detail }) => [check, detail]))
    expect(reasons.get('runs/completed-output')).toBe('no run has completed in its response')
    expect(summary.pass).toBeGreaterThan(65)
  })

  it('is judged in a second run when the first one fails at the provider', async () => {
    const checks = ['runs/completed-output', 'jobs/every-end', 'webhooks/output', 'charges/every-run']
    expect(await verdicts({ providerFails: 'third' }, ...checks)).toEqual(Array(4).fill('pass'))
  })

  it('is skipped with the reason: webhooks, where an address without https is rejected', async () => {
    const results = await resultsOf({ plainHttpWebhook: { status: 422, code: 'HTTPS_REQUIRED' } })
    const ofDeliveries = results.filter(({ check, verdict }) => check.startsWith('webhooks/') && verdict !== 'skipped')
    expect(ofDeliveries.map(({ check }) => check)).toEqual(['webhooks/nothing-when-rejected'])
    expect(results.find(({ check }) => check === 'webhooks/delivered')?.detail).toBe(
      'no run with a webhook_url was accepted',
    )
  })

  it('is skipped: pages and filters of a list of one model', async () => {
    expect(await verdicts({ modelCount: 1 }, 'models/search-narrows')).toEqual(['skipped'])
  })

  it('is skipped with the reason when the service keeps rejecting requests with 429', async () => {
    const { options, service } = legalOptions()
    let count = 0
    const fetch = async (url: string, init: RequestInit) =>
      ++count > 40 ? new Response('{}', { status: 429, headers: { 'retry-after': '1' } }) : service.fetch(url, init)
    const { results, summary } = await runConformance({ ...options, fetch })
    expect(summary.fail).toBe(0)
    const verdictOf = (id: string) => results.find(({ check }) => check === id)
    expect(verdictOf('webhooks/delivered')).toMatchObject({
      verdict: 'skipped',
      detail: expect.stringContaining('429'),
    })
    // A run that was rejected for its time shows nothing of its input.
    expect(verdictOf('inputs/enum')?.verdict).toBe('skipped')
  })
})
