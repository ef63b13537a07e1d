import { DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'
import { type ReferenceServerOptions, resolveOptions } from './options.ts'

const [model] = DEFAULT_CATALOG

/** Options as JavaScript could pass them. */
const untyped = (options: object): ReferenceServerOptions => options

describe('options', () => {
  it('all have a default', () => {
    expect(resolveOptions({ clock: 'manual' })).toEqual({
      clock: 'manual',
      seed: 1,
      apiKey: undefined,
      catalog: DEFAULT_CATALOG,
      credits: 10_000,
      baseUrl: 'https://reference.modelrun.test',
      assumptions: DEFAULT_ASSUMPTIONS,
      deliver: undefined,
      controlToken: undefined,
      log: undefined,
      latency: undefined,
      startTime: undefined,
      retention: {
        finishedJobs: 100_000,
        deliveries: 10_000,
        journalBytes: 4 * 1024 * 1024,
      },
    })
  })

  it('that are undefined count as left out', () => {
    const names = Object.keys(resolveOptions({}))
    const given = Object.fromEntries(names.map((name) => [name, undefined]))
    expect(resolveOptions(given)).toMatchObject({ seed: expect.any(Number), credits: 10_000 })
    expect(resolveOptions({ assumptions: { queuedMs: undefined } }).assumptions.queuedMs).toBe(200)
  })

  it.each([
    ['controlToken', 'a-token-of-the-team', ['short', 'with white space in it', '', 7]],
    ['apiKey', 'sk_test_of-the_team1', ['sk_live_secret', 'sk_test_', 'sk_test_secret key', 7]],
  ] as const)('take a right %s, and repeat no other: it may be a secret', (name, right, wrong) => {
    expect(resolveOptions({ [name]: right })).toMatchObject({ [name]: right })
    for (const value of wrong) {
      const resolve = () => resolveOptions(untyped({ [name]: value }))
      expect(resolve).toThrow(`\`${name}\` of \`createReferenceServer\` must be`)
      expect(resolve).not.toThrow('secret')
    }
  })

  it('are taken as given', () => {
    const deliver = vi.fn()
    const given = { clock: { scale: 60 }, seed: -3, credits: 0, startTime: new Date(5), deliver } as const
    const assumptions = { asyncRunStatus: 200, queuedMs: 0 } as const
    expect(resolveOptions({ ...given, assumptions, baseUrl: 'http://localhost:4010/' })).toMatchObject({
      ...given,
      startTime: 5,
      baseUrl: 'http://localhost:4010',
      assumptions: { ...DEFAULT_ASSUMPTIONS, ...assumptions },
    })
  })

  it('say how long runs take', async () => {
    const server = createReferenceServer({ clock: 'auto', latency: 1_500 })
    expect((await apiCaller(server).run('aurora-image')).body.duration_ms).toBe(1_500)
  })

  it.each([
    [{ latency: -1 }, /latency/],
    [{ clock: 'fast' }, /clock.* must be 'system', 'manual', 'auto' or .*, not "fast"\./],
    [{ clock: { scale: 0 } }, /clock/],
    [{ seed: 1.5 }, /seed/],
    [{ credits: -1 }, /credits/],
    [{ baseUrl: 'localhost' }, /baseUrl/],
    [{ baseUrl: 'ftp://a.test' }, /baseUrl/],
    [{ baseUrl: 'https://a.test/?x=1' }, /baseUrl/],
    [{ baseUrl: 'https://name:secret@a.test' }, /baseUrl/],
    [{ baseUrl: ' https://a.test ' }, /baseUrl/],
    [{ assumptions: { asyncRunStatus: 204 } }, /is wrong: \/asyncRunStatus must be 200 or 202/],
    [{ retention: { finishedJobs: -1 } }, /is wrong: \/finishedJobs must be 0 or more/],
    [{ retention: { days: 1 } }, /"days"/],
    [{ startTime: Number.NaN }, /startTime/],
    [{ catalog: [{ ...model, latency_ms: -1 }] }, /is wrong: \/0\/latency_ms must be 0 or more/],
    [{ catalog: [{ ...model, pricing: { credits_per_run: 0.5 } }] }, /credits_per_run must be an integer/],
    [{ catalog: [{ ...model, output_kind: 'text' }] }, /output_kind must be "image"/],
    [{ catalog: [{ ...model, id: '..' }] }, /\/0\/id/],
    [{ catalog: [{ ...model, outcomes: [{ result: 'exploded' }] }] }, /is wrong: \/0\/outcomes\/0\/result/],
    [{ catalog: [model, model] }, /has two models with the id/],
  ])('%j are rejected with an error that says why', (options, message) => {
    expect(() => resolveOptions(untyped(options))).toThrow(ConfigurationError)
    expect(() => resolveOptions(untyped(options))).toThrow(message)
  })
})
