import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { json } from '../../test/scripted-service.ts'
import { createTestProxy, model, PROXY_SECRET, RUN_PATH } from '../../test/test-proxy.ts'
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
    const store = { ...createMemoryBudgetStore(), settle }
    const harness = createTestProxy([model(), completed], { budget: { credits: 10, store } })
    const sent = harness.send(`POST ${RUN_PATH}`, RUN)
    await vi.waitFor(() => harness.clock.advance(2_000).then(() => expect(harness.errors).toHaveLength(1)), {
      timeout: 100_000,
    })
    expect((await sent).status).toBe(200)
  })

  test.each(Object.entries(WAYS))('`reserve` that %s: the page gets a 503, and no run is sent', async (_, reserve) => {
    const store = { ...createMemoryBudgetStore(), reserve }
    const harness = createTestProxy([model(), completed], { budget: { credits: 10, store } })
    const sent = harness.send(`POST ${RUN_PATH}`, RUN)
    await vi.waitFor(() => harness.clock.advance(10_000).then(() => expect(harness.errors).toHaveLength(1)), {
      timeout: 100_000,
    })
    expect((await sent).status).toBe(503)
    expect(harness.service.received.map(({ method }) => method)).toEqual(['GET'])
  })
})

test('a job id of any length is sealed so that it opens again', async () => {
  const seals = createJobSeals(PROXY_SECRET)
  for (const jobId of ['j', 'j'.repeat(3_000), '\u{1f98a}'.repeat(3_000)]) {
    expect(await seals.open('anna', await seals.seal('anna', { jobId }))).toEqual({ jobId })
  }
})

test('the path of a request is that of its first line, whatever its host says', () => {
  const part = fc.constantFrom(
    'x',
    '/',
    '#',
    '?',
    '@',
    '\\',
    ':80',
    '/api/modelrun/v1/models/m/run',
    '%23',
    ' ',
    '\t',
    '..',
  )
  const host = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(host, (sent) => {
      const headers = { host: sent.trim() }
      const served = {
        method: 'POST',
        url: '/public/health?a=1',
        headers,
        raw: {},
        hasLeft: () => false,
        readBody: never,
      }
      const { url } = fromServedRequest(served)
      expect(`${url.pathname}${url.search}${url.hash}`).toBe('/public/health?a=1')
    }),
    { numRuns: 2_000 },
  )
})
