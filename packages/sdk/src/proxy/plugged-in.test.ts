import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { json } from '../../test/scripted-service.ts'
import { createTestProxy, model, PROXY_SECRET, RUN_PATH } from '../../test/test-proxy.ts'
import { systemClock } from '../shared/clock.ts'
import { createMemoryBudgetStore } from './budget/budget-store.ts'
import { fromServedRequest } from './page-request.ts'
import { createJobSeals } from './sealed-jobs.ts'

const completed = json(200, fixtures.runs.completed.body)
const RUN = { body: { input: { prompt: 'a red fox' } } }
const never = () => new Promise<never>(() => {})
const throws = () => {
  throw new Error('redis.internal is down')
}
const WAYS = { 'never settles': never, rejects: async () => throws(), throws } as const

describe('a function of the application that fails', () => {
  test.each(Object.entries(WAYS))(
    '`authorize` that %s: the page gets a 503, and nothing is sent',
    async (_, authorize) => {
      const harness = createTestProxy([completed], { authorize })
      const sent = harness.send(`POST ${RUN_PATH}`, RUN)
      await vi.waitFor(() => harness.clock.advance(10_000).then(() => expect(harness.errors).toHaveLength(1)), {
        timeout: 100_000,
      })
      expect((await sent).status).toBe(503)
      expect(harness.service.received).toHaveLength(0)
    },
  )

  test.each(Object.entries(WAYS))('`settle` that %s: the page gets the paid result', async (_, settle) => {
    const store = { ...createMemoryBudgetStore(systemClock), settle }
    const harness = createTestProxy([model(), completed], { budget: { credits: 10, store } })
    const sent = harness.send(`POST ${RUN_PATH}`, RUN)
    await vi.waitFor(() => harness.clock.advance(2_000).then(() => expect(harness.errors).toHaveLength(1)), {
      timeout: 100_000,
    })
    expect((await sent).status).toBe(200)
  })

  test.each(Object.entries(WAYS))('`reserve` that %s: the page gets a 503, and no run is sent', async (_, reserve) => {
    const store = { ...createMemoryBudgetStore(systemClock), reserve }
    const harness = createTestProxy([model(), completed], { budget: { credits: 10, store } })
    const sent = harness.send(`POST ${RUN_PATH}`, RUN)
    await vi.waitFor(() => harness.clock.advance(10_000).then(() => expect(harness.errors).toHaveLength(1)), {
      timeout: 100_000,
    })
    const { status, headers, text } = await sent
    expect([status, headers.get('retry-after'), text.includes('internal')]).toEqual([503, '5', false])
    expect(harness.service.received.map(({ method }) => method)).toEqual(['GET'])
  })
})

test('a job id of any length is sealed so that it opens again', async () => {
  const seals = createJobSeals(PROXY_SECRET)
  for (const jobId of ['j', 'j'.repeat(3_000), '\u{1f98a}'.repeat(3_000)]) {
    expect(await seals.open('anna', await seals.seal('anna', { jobId }))).toEqual({ jobId })
  }
})

describe('the path of a request', () => {
  const pathOf = (url: string, host = 'app.example.com') => {
    const served = { method: 'POST', url, headers: { host }, raw: {}, hasLeft: () => false, readBody: never }
    const { pathname, search, hash } = fromServedRequest(served).url
    return `${pathname}${search}${hash}`
  }

  test('is that of its first line, whatever its host says', () => {
    const part = fc.constantFrom(
      'x',
      '/',
      '#',
      '?',
      '@',
      '\\',
      ':80',
      `/api/modelrun${RUN_PATH}`,
      '%23',
      ' ',
      '\t',
      '..',
    )
    const host = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('').trim())
    fc.assert(
      fc.property(host, (sent) => pathOf('/public/health?a=1', sent) === '/public/health?a=1'),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '/public/../api/modelrun/v1/models',
    '/public/%2e%2E/api/modelrun/v1/models',
    '/api/./modelrun/v1/models',
    '/api/modelrun/v1/models/x/..',
    '/api\\modelrun/v1/models',
    '/public\\..\\api\\modelrun\\v1\\models',
    'http://app.example.com/api/modelrun/v1/models',
    '/api/modelrun/v1/mod\tels',
    '/api/modelrun/v1/models#x',
    '/api/modelrun/v1/models/\u00e9',
    '@x/api/modelrun/v1/models',
    ':80/api/modelrun/v1/models',
    '*',
    '',
  ])('is none where a url would change %j', (sent) => {
    expect(pathOf(sent)).toBe('/')
  })

  test.each(["/api/modelrun/v1/models?search=it's", '/api/modelrun/v1/models/lumen%2faurora/run/', '//x/api'])(
    'stays %j',
    (sent) => {
      expect(pathOf(sent).split('?')[0]).toBe(sent.split('?')[0])
    },
  )
})
