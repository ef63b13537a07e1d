import { type ConformanceOptions, type ConformanceReport, runConformance, type SpecialKey } from '@modelrun/conformance'
import { DEFAULT_CATALOG } from '@modelrun/reference-server'
import { expect, it } from 'vitest'
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

it('the conformance suite finds nothing wrong with a proxy in front of the reference server', async () => {
  const { results, summary } = await checkProxy()
  const failures = results.filter(({ verdict }) => verdict === 'fail')
  expect(failures.map(({ check, detail }) => `${check}: ${detail}`)).toEqual([])
  expect(summary.pass).toBeGreaterThan(60)
  // A page has no keys with fewer permissions, and no `webhook_url`: the proxy would have the service post to any address.
  const skipped = new Set(
    results.filter(({ verdict }) => verdict === 'skipped').map(({ check }) => check.split('/')[0]),
  )
  expect([...skipped].toSorted()).toEqual(['permissions', 'settings', 'webhooks'])
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
