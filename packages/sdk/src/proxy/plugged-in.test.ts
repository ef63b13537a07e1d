import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { json } from '../../test/scripted-service.ts'
import { createTestProxy, model, RUN_PATH } from '../../test/test-proxy.ts'
import { sleep, systemClock } from '../shared/clock.ts'
import { type BudgetStore, createMemoryBudgetStore } from './budget/budget-store.ts'
import { fromServedRequest } from './page-request.ts'

const completed = json(200, fixtures.runs.completed.body)
const RUN = { body: { input: { prompt: 'a red fox' } } }
const never = () => new Promise<never>(() => {})
const throws = () => {
  throw new Error('redis.internal is down')
}
const WAYS = { 'never settles': never, rejects: async () => throws(), throws } as const
const POSTS = [model(), completed]
const storeWith = (method: object) => ({
  budget: { credits: 10, store: { ...createMemoryBudgetStore(systemClock), ...method } },
})

/** What fails, the options with it, what the page gets, and the requests to the service. */
const PLACES = {
  authorize: { plug: (authorize: typeof never) => ({ authorize }), status: 503, sent: [] },
  settle: { plug: (settle: typeof never) => storeWith({ settle }), status: 200, sent: ['GET', 'POST'] },
  reserve: { plug: (reserve: typeof never) => storeWith({ reserve }), status: 503, sent: ['GET'] },
}
const CELLS = Object.keys(PLACES).flatMap((place) => Object.keys(WAYS).map((way) => [place, way] as const))

test.each(CELLS as [keyof typeof PLACES, keyof typeof WAYS][])(
  '`%s` that %s costs no paid result, and sends no run that cannot be paid',
  async (place, way) => {
    const { plug, status, sent } = PLACES[place]
    const harness = createTestProxy(POSTS, plug(WAYS[way]))
    const sending = harness.send(`POST ${RUN_PATH}`, RUN)
    const isReported = () => harness.clock.advance(10_000).then(() => expect(harness.errors).toHaveLength(1))
    await vi.waitFor(isReported, { timeout: 100_000 })
    const response = await sending
    const retryAfter = status === 503 ? '5' : null
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter])
    expect(response.text).not.toContain('internal')
    expect(harness.service.received.map(({ method }) => method)).toEqual(sent)
  },
)

test.each(
  ['throws before', 'throws after', 'is late'].flatMap((way) => ['total', 'user:anna'].map((name) => [way, name])),
)('a run that is not sent is not counted: `reserve` that %s it adds to the account %s', async (way, failing) => {
  const memory = createMemoryBudgetStore(systemClock)
  const accounts = new Set<string>()
  const store: BudgetStore = {
    ...memory,
    reserve: async (reservation) => {
      const { account } = reservation
      accounts.add(account)
      const isFailing = account.endsWith(`${failing}`)
      if (isFailing && way === 'throws before') throws()
      if (isFailing && way === 'is late') await sleep(harness.clock, 11_000)
      const isAdded = await memory.reserve(reservation)
      return isFailing && way === 'throws after' ? throws() : isAdded
    },
  }
  const harness = createTestProxy(POSTS, { budget: { credits: 10, totalCredits: 100, store } })
  expect(await harness.clock.run(harness.send(`POST ${RUN_PATH}`, RUN))).toMatchObject({ status: 503 })
  await harness.clock.advance(10_000)
  expect(harness.service.received.map(({ method }) => method)).toEqual(['GET'])
  for (const account of accounts) expect(await memory.balance(account)).toBe(0)
})

test.each([null, 5, {}, { waitUntil: null }])('the context %j of a framework is no failure', async (context) => {
  const { proxy, errors } = createTestProxy([])
  await proxy.handle(new Request('https://app.example.com/x'), context as object)
  expect(errors).toEqual([])
})

describe('the path of a request', () => {
  const pathOf = (url: string, host = 'app.example.com') => {
    const served = { method: 'POST', url, headers: { host }, raw: {}, hasLeft: () => false, readBody: never }
    const { pathname, search, hash } = fromServedRequest(served).url
    return `${pathname}${search}${hash}`
  }

  test('is that of its first line, whatever its host says', () => {
    const part = fc.constantFrom(...'x/#?@\\ \t', ':80', '%23', '..', `/api/modelrun${RUN_PATH}`)
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
