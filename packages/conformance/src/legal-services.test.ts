import { describe, expect, it } from 'vitest'
import { mixedChoices, singleChoices } from '../test/legal-service/choose.ts'
import type { LegalChoices } from '../test/legal-service/legal-choices.ts'
import { legalOptions } from '../test/legal-service/legal-options.ts'
import { runConformance } from './run-conformance.ts'

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
    // Its twelve models are all on the first page, and its cancels show no credits: there is nothing to judge.
    expect(unsettled.map(({ check }) => check)).toEqual(['models/search-anywhere', 'cancel/no-credits-shown'])
  })

  it.each(singleChoices())('passes with %j', async (choices) => {
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
    const ofItems = ['jobs/output-item-type', 'jobs/output-item-url', 'files/can-be-read']
    expect(await verdicts({ items: 'none' }, ...ofItems)).toEqual(['skipped', 'skipped', 'skipped'])
    expect(await verdicts({ fileAccess: 'needs-key' }, 'files/can-be-read')).toEqual(['skipped'])
    expect(await verdicts({ fileUrls: 'storage' }, 'files/can-be-read')).toEqual(['skipped'])
  })

  it('is skipped: a search by descriptions that are empty', async () => {
    expect(await verdicts({ descriptions: 'empty' }, 'models/search-description')).toEqual(['skipped'])
  })

  it('is skipped: pages and filters of a list of one model', async () => {
    const ofLists = ['models/total-is-of-matches', 'models/search-narrows']
    expect(await verdicts({ modelCount: 1 }, ...ofLists)).toEqual(['skipped', 'skipped'])
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
    // A run that was rejected for its time shows nothing of its input, and nothing of the codes of other rejections.
    expect(verdictOf('inputs/enum')?.verdict).toBe('skipped')
    expect(verdictOf('inputs/broken-json')?.verdict).toBe('skipped')
    expect(verdictOf('limits/too-many-requests')?.observation).toEqual({ status: 429, code: null })
  })
})
