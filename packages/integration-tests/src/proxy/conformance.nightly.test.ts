import { type ConformanceOptions, type ConformanceReport, runConformance, type SpecialKey } from '@modelrun/conformance'
import { DEFAULT_CATALOG } from '@modelrun/reference-server'
import { beforeAll, describe, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { openSetting, PROXY_URL } from './setting.ts'

const FAILING = 'proxy/always-fails'
// The suite expects the prefix of a key.
const ANNA = 'sk_test_session_of_anna'

/** Sessions where the suite has keys: the pages of a proxy have no others. */
const SESSIONS: { [Name in SpecialKey]?: string } = {
  revoked: 'sk_test_session_that_ended',
  'no-credits': 'sk_test_session_of_a_beggar',
}

/** What the suite does not judge of a proxy, and why. */
const LEFT_OUT: Record<string, string> = {
  'permissions/': 'what a user may do beyond spending its budget is decided by the application',
  'settings/': 'the settings of webhooks and permissions, for the two reasons here',
  'webhooks/': 'a page cannot have a `webhook_url`: the proxy would have the service post to any address',
}

/** What the proxy does in another way than the service behind it where the specification is silent, and why. */
const DIFFERENT: Record<string, string> = {
  failedSyncRunStatus: 'of a response that the specification does not show, the id of the job is kept: it is polled',
  insufficientCredits: 'the budget of a user has a code of its own, BUDGET_EXCEEDED',
}

const isLeftOut = (check: string) => Object.keys(LEFT_OUT).some((name) => check.startsWith(name))

describe('the conformance suite', () => {
  let direct: ConformanceReport
  let proxied: ConformanceReport

  beforeAll(async () => {
    direct = await checkServer()
    proxied = await checkProxy()
  })

  it('finds nothing wrong with a proxy in front of the reference server', () => {
    const failures = proxied.results.filter(({ verdict }) => verdict === 'fail')
    expect(failures.map(({ check, detail }) => `${check}: ${detail}`)).toEqual([])
    expect(proxied.summary.pass).toBeGreaterThan(60)
  })

  it('judges of the proxy what it judges of the server, but for what is left out with a reason', () => {
    const judged = ({ results }: ConformanceReport) =>
      results.filter(({ verdict }) => verdict !== 'skipped').map(({ check }) => check)
    const seen = new Set(judged(proxied))
    const missing = judged(direct).filter((check) => !seen.has(check))
    expect(missing.filter((check) => !isLeftOut(check))).toEqual([])
    for (const name of Object.keys(LEFT_OUT)) expect(missing.some((check) => check.startsWith(name))).toBe(true)
  })

  it('sees the proxy behave as the server where the specification is silent, but for what is listed', () => {
    const observed = ({ results }: ConformanceReport) =>
      results.flatMap(({ check, observation }) =>
        observation === undefined ? [] : [[check.split('/')[1], observation]],
      )
    const seen = new Map(observed(direct).map(([name, value]) => [name, JSON.stringify(value)]))
    const different = observed(proxied).flatMap(([name, value]) =>
      seen.get(name) === JSON.stringify(value) ? [] : [name],
    )
    expect(different.toSorted()).toEqual(Object.keys(DIFFERENT).toSorted())
  })
})

function createServer() {
  const [template] = DEFAULT_CATALOG.filter(({ id }) => id === 'aurora-image')
  if (template === undefined) throw new Error('The catalog has no aurora-image.')
  const catalog = [
    ...DEFAULT_CATALOG,
    { ...template, id: FAILING, name: 'Always fails', description: 'It never draws.' },
  ]
  const server = createCheckedServer({ catalog })
  server.script(FAILING, Array(20).fill({ result: 'failed' }))
  return { server, models: catalog.map(({ id }) => id) }
}

function optionsOf({ server }: ReturnType<typeof createServer>): Omit<ConformanceOptions, 'baseUrl' | 'apiKey'> {
  return {
    allowRuns: true,
    maxCredits: 10_000,
    models: { main: { model: 'aurora-image' }, slow: { model: 'lumen/aurora-video' }, failing: { model: FAILING } },
    readCredits: async () => server.credits(),
    clock: server.clock,
    limits: { quietMs: 5_000 },
  }
}

async function checkServer(): Promise<ConformanceReport> {
  const created = createServer()
  const { server } = created
  const revoked = server.createKey().key
  server.revokeKey(revoked)
  const keys = {
    revoked,
    'no-credits': server.createKey({ credits: 0 }).key,
    'read-only': server.createKey({ permissions: ['models:read', 'jobs:read'] }).key,
  }
  let receive = async (_: Request): Promise<Response> => new Response(null, { status: 404 })
  const receiver = {
    url: 'https://receiver.example',
    onRequest: (next: typeof receive) => {
      receive = next
    },
  }
  const { baseUrl, apiKey, fetch } = server
  return await runConformance({ ...optionsOf(created), baseUrl, apiKey, keys, fetch, receiver })
}

async function checkProxy(): Promise<ConformanceReport> {
  const created = createServer()
  const { server, models } = created
  const users: Record<string, { user: string; credits?: number }> = {
    [`Bearer ${ANNA}`]: { user: 'anna' },
    [`Bearer ${SESSIONS['no-credits']}`]: { user: 'beggar', credits: 0 },
  }
  const { proxy } = openSetting({
    server,
    models,
    authorize: ({ headers }) => users[headers.get('authorization') ?? ''],
    budget: { credits: 10_000 },
  })
  const fetch = async (url: string, init: RequestInit) => {
    const request = new Request(url, init)
    // The produced files are not behind the proxy.
    if (!url.startsWith(PROXY_URL)) return server.fetch(request)
    request.headers.set('sec-fetch-site', 'same-origin')
    return proxy.handle(request)
  }
  return await runConformance({ ...optionsOf(created), baseUrl: PROXY_URL, apiKey: ANNA, keys: SESSIONS, fetch })
}
