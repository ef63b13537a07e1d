import { createReferenceServer } from '@modelrun/reference-server'
import { describe, expect, it } from 'vitest'
import { MAIN_MODEL } from '../test/catalog.ts'
import { createReferenceService } from '../test/reference-service.ts'
import { CannotStartError } from './options.ts'
import type { CheckResult } from './report.ts'
import { runConformance } from './run-conformance.ts'

const lineOf = ({ verdict, check, detail }: CheckResult) => `${verdict} ${check}: ${detail}`

describe('runConformance', () => {
  it('finds nothing wrong with the reference server, judges every statement, and keeps to its plan', async () => {
    const { options } = createReferenceService()
    const report = await runConformance(options)
    const unsettled = report.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'skipped')
    expect(unsettled.map(lineOf)).toEqual([])
    const { credits, exchanges, results } = report
    expect(credits.spent).toBeLessThanOrEqual(credits.planned)
    expect(exchanges.filter(({ direction }) => direction === 'sent').length).toBeLessThan(350)
    for (const { requirements, verdict } of results) {
      expect([...new Set(requirements.map(({ level }) => level))]).toEqual([verdict === 'observed' ? 'open' : 'must'])
    }
  })

  it('proves every verdict with exchanges, none of which holds a key', async () => {
    const { options, server } = createReferenceService()
    const report = await runConformance(options)
    const ids = report.exchanges.map(({ id }) => id)
    for (const { verdict, exchanges } of report.results) {
      if (verdict !== 'skipped') expect(exchanges).not.toEqual([])
      expect(ids).toEqual(expect.arrayContaining([...exchanges]))
    }
    const text = JSON.stringify(report)
    const secrets = [server.apiKey, ...Object.values(options.keys ?? {})]
    expect(secrets.filter((secret) => secret !== undefined && text.includes(secret))).toEqual([])
    expect(text).toContain('Bearer [redacted]')
  })

  it('sends nothing but GET requests, and needs no credits, unless runs are allowed', async () => {
    const { options, server } = createReferenceService()
    const report = await runConformance({ ...options, allowRuns: false, maxCredits: 0 })
    expect(report.exchanges.filter(({ request }) => request.method !== 'GET')).toEqual([])
    expect(report.summary).toMatchObject({ fail: 0 })
    expect(report.summary.pass).toBeGreaterThan(30)
    expect(report.credits).toEqual({ planned: 0, spent: 0 })
    expect(server.credits()).toBe(10_000)
  })

  it('starts nothing when the plan could cost more than the limit', async () => {
    const { options, server } = createReferenceService()
    const exact = (await runConformance(options)).credits.planned
    const { options: again, server: fresh } = createReferenceService()
    await expect(runConformance({ ...again, maxCredits: exact - 1 })).rejects.toThrow(
      `The plan could cost ${exact} credits`,
    )
    expect(fresh.credits()).toBe(10_000)
    expect(server.credits()).toBeLessThan(10_000)
  })

  it('does not wait for a job with a status that the specification does not name: that is a finding', async () => {
    const { options, server } = createReferenceService()
    const misspelt = async (url: string, init: RequestInit) => {
      const response = await server.fetch(url, init)
      if (!url.includes('/v1/jobs/')) return response
      return new Response((await response.text()).replaceAll('"cancelled"', '"canceled"'), response)
    }
    const waits: string[] = []
    const onProgress = (sentence: string) => void waits.push(sentence)
    const { results } = await runConformance({ ...options, fetch: misspelt, onProgress })
    expect(results.find(({ check }) => check === 'jobs/status')).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('/data/status is "canceled"; expected "queued" or "processing"'),
    })
    expect(waits).toContain('run: held')
    expect(waits.filter((sentence) => sentence.includes('canceled'))).toEqual([])
  })

  it('says what it needs for what it cannot judge', async () => {
    const { options } = createReferenceService()
    const { results } = await runConformance({
      ...options,
      keys: {},
      models: {},
      receiver: undefined,
      readCredits: undefined,
    })
    const detailOf = (id: string) => results.find(({ check }) => check === id)?.detail
    expect(detailOf('runs/held-time')).toContain('needs a slow model')
    expect(detailOf('jobs/failed-code')).toContain('fail at the provider')
    expect(detailOf('webhooks/delivered')).toContain('needs a webhook receiver')
    expect(detailOf('auth/revoked-key')).toBe('needs a key that was revoked')
    expect(detailOf('charges/every-run')).toContain('needs readCredits')
    expect(results.filter(({ verdict }) => verdict === 'fail').map(lineOf)).toEqual([])
  })

  it('loses nothing but the checks of charges when the credits cannot be read', async () => {
    const { options } = createReferenceService()
    const readCredits = async () => {
      throw new Error('the page of the account is down')
    }
    const { results } = await runConformance({ ...options, readCredits })
    const unsettled = results.filter(({ verdict, detail }) => verdict === 'skipped' && /credits left/.test(detail))
    expect(unsettled.map(({ check }) => check)).toEqual(['charges/every-run', 'settings/creditsOfFailedRun'])
    expect(results.filter(({ verdict }) => verdict === 'fail').map(lineOf)).toEqual([])
  })

  it('stays within the limit where it plans for as little as it may, and judges the same', async () => {
    const { options } = createReferenceService()
    const whole = await runConformance({ ...options, keys: {} })
    const { options: again, server } = createReferenceService()
    const { planned } = whole.credits
    const { results } = await runConformance({ ...again, keys: {}, maxCredits: planned })
    expect(10_000 - server.credits()).toBeLessThanOrEqual(planned)
    expect(results.map(({ verdict }) => verdict)).toEqual(whole.results.map(({ verdict }) => verdict))
  })

  it('stops at the limit where a service charges for what is free', async () => {
    const { options, server } = createReferenceService()
    const { planned } = (await runConformance({ ...options, keys: {} })).credits
    let runs = 0
    const fetch = async (url: string, init: RequestInit) => {
      if (init.method === 'POST' && url.includes(encodeURIComponent(MAIN_MODEL)) && !/: $/.test(String(init.body)))
        runs++
      return server.fetch(url, init)
    }
    const readCredits = async () => 10_000 - 4 * runs
    const report = await runConformance({ ...options, keys: {}, maxCredits: planned, fetch, readCredits })
    expect(4 * runs).toBeLessThanOrEqual(planned)
    expect(report.results.find(({ check }) => check === 'charges/every-run')?.verdict).toBe('fail')
  })

  it('stops at the limit where jobs say that they have cost more than their price', async () => {
    const jobsAt = async (factor: string) => {
      const { options, server } = createReferenceService()
      const fetch = async (url: string, init: RequestInit) => {
        const response = await server.fetch(url, init)
        if (!url.includes('/v1/')) return response
        return new Response((await response.text()).replace(/"credits_used":\d+/g, `$&${factor}`), response)
      }
      const { credits } = await runConformance({ ...options, keys: {}, fetch })
      const left = await runConformance({ ...options, keys: {}, maxCredits: credits.planned, fetch })
      expect(left.credits.spent).toBeLessThanOrEqual(credits.planned)
      return server.journal.entries({ kind: 'job' }).length
    }
    expect(await jobsAt('0')).toBeLessThan(await jobsAt(''))
  })

  it('runs nothing at another price than that of the plan', async () => {
    const { options, server } = createReferenceService()
    let runs = 0
    const fetch = async (url: string, init: RequestInit) => {
      if (init.method === 'POST') runs++
      const response = await server.fetch(url, init)
      if (runs < 3 || !url.endsWith(encodeURIComponent(MAIN_MODEL))) return response
      return new Response((await response.text()).replace(/"credits_per_run":\d+/, '"credits_per_run":500'), response)
    }
    await runConformance({ ...options, keys: {}, only: ['runs'], fetch })
    const accepted = server.requests({ route: 'runModel', model: MAIN_MODEL }).filter(({ status = 0 }) => status < 300)
    expect(accepted).toHaveLength(3)
  })

  it('runs the cheapest model whose input can be made up, when none is chosen', async () => {
    const { options } = createReferenceService()
    const { exchanges } = await runConformance({ ...options, models: {}, only: ['runs/waits'] })
    expect(exchanges.find(({ request }) => request.method === 'POST')?.request.url).toMatch(
      /lumen%2Faurora-image-swift\/run$/,
    )
  })

  it('makes only the checks that are asked for, by check, requirement or area', async () => {
    const { options } = createReferenceService()
    const { results } = await runConformance({ ...options, only: ['auth/key-prefix', '4.1-05', 'files'] })
    expect(results.map(({ check }) => check)).toEqual(['auth/key-prefix', 'models/every-list', 'files/can-be-read'])
    await expect(runConformance({ ...options, only: ['mdels'] })).rejects.toThrow(
      'There is no check, requirement or area mdels. The areas are: auth, permissions, ',
    )
  })

  it.each([
    ['POST', 1, ['errors/every-response']],
    ['GET', Number.POSITIVE_INFINITY, ['auth/missing-key', 'errors/every-response']],
  ])('fails what gets no response, and nothing else: %s, %d times', async (method, times, failed) => {
    const { options, server } = createReferenceService()
    let requests = 0
    const fetch: typeof server.fetch = async (url, init) => {
      if (init?.method === method) requests++
      if (init?.method !== method || requests < 2 || requests > 1 + times) return server.fetch(url, init)
      throw new TypeError('fetch failed', { cause: new Error('connection refused') })
    }
    const run = times === 1 ? {} : { allowRuns: false, only: ['auth/missing-key', 'errors/every-response'] }
    const { results } = await runConformance({ ...options, readCredits: undefined, fetch, ...run })
    const failures = results.filter(({ verdict }) => verdict === 'fail')
    expect(failures.map(({ check }) => check)).toEqual(failed)
    for (const { detail } of failures) expect(detail).toContain('fetch failed: connection refused')
  })

  it('cannot start where no model can be run, and judges what is shown of them without runs', async () => {
    const { options, server } = createReferenceService()
    const withoutPrice = async (url: string, init: RequestInit) => {
      const response = await server.fetch(url, init)
      return new Response((await response.text()).replace(/"pricing":\{[^}]*\}/g, '"pricing":{}'), response)
    }
    await expect(runConformance({ ...options, fetch: withoutPrice })).rejects.toThrow(CannotStartError)
    expect(server.credits()).toBe(10_000)
    const { results } = await runConformance({ ...options, fetch: withoutPrice, allowRuns: false })
    expect(results.find(({ check }) => check === 'details/every-model')).toMatchObject({ verdict: 'fail' })
  })

  it('gives a reason for everything that it skips, also where there are no models at all', async () => {
    const server = createReferenceServer({ catalog: [] })
    const { baseUrl, apiKey } = server
    const { results } = await runConformance({ baseUrl, apiKey, fetch: server.fetch })
    expect(results.filter(({ detail }) => detail === '')).toEqual([])
    expect(results.find(({ check }) => check === 'details/same-model')).toMatchObject({
      verdict: 'skipped',
      detail: 'there is no model',
    })
  })
})
