import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { broken, errorResponse, json, type Step, text } from '../../../test/scripted-service.ts'
import { createTestProxy, model, PRICE, RUN_PATH } from '../../../test/test-proxy.ts'

const RUN = { body: { input: { prompt: 'x' }, sync: false } }
const DAY_MS = 86_400_000

const completed = json(200, { ...fixtures.runs.completed.body, credits_used: PRICE })
const queued = json(202, fixtures.runs.queued.body)
const job = (status: string, more: object = {}): Step => json(200, { data: { status, ...more } })
const succeeded = job('succeeded', { output: fixtures.runs.completed.body.output })
const failed = job('failed', { error: { code: 'PROVIDER_FAILURE', message: 'x' } })

/** Queues runs, and shows the price before each. */
const queueing: Step = (request) => (request.method === 'GET' ? model() : queued)(request)

/** Starts a run, gives its id. */
async function start({ send }: Pick<ReturnType<typeof createTestProxy>, 'send'>): Promise<string> {
  const { body } = await send(`POST ${RUN_PATH}`, RUN)
  return (body as { job_id: string }).job_id
}

const statusOf = async ({ send }: Pick<ReturnType<typeof createTestProxy>, 'send'>, more: object = {}) =>
  (await send(`POST ${RUN_PATH}`, { ...RUN, ...more })).status

const usedBy = async ({ proxy }: ReturnType<typeof createTestProxy>, user = 'anna') =>
  (await proxy.balance({ user })).used

describe('the limit of one run', () => {
  test('rejects a model that costs more, and sends nothing', async () => {
    const { send, service } = createTestProxy([model(), completed], { maxCredits: PRICE - 0.5 })
    await expect(send(`POST ${RUN_PATH}`, RUN)).resolves.toMatchObject({
      status: 402,
      body: { error: { code: 'BUDGET_EXCEEDED' } },
    })
    expect(service.received.map(({ method }) => method)).toEqual(['GET'])
  })

  test.each([-1, Number.NaN, 'free', null])('rejects a price of %j: the service must say it', async (price) => {
    const step = model({ pricing: { credits_per_run: price } })
    const harness = createTestProxy([step, step, step, completed], { maxCredits: 100 })
    expect(await harness.clock.run(statusOf(harness))).toBe(503)
    expect(harness.service.received.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('counts for the price of now, not for one that was read before', async () => {
    const raised = model({ pricing: { credits_per_run: 100 } })
    const { send, service } = createTestProxy([model(), model(), completed, raised], { maxCredits: PRICE })
    await send('GET /v1/models/aurora-image')
    for (const status of [200, 402]) expect((await send(`POST ${RUN_PATH}`, RUN)).status).toBe(status)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'GET'])
  })

  test.each([[[]], ['false'], [{ rows: [] }]])('is not passed by a store that responds with %j', async (reply) => {
    const store = { reserve: async () => reply as never, settle: async () => {}, balance: async () => 0 }
    const harness = createTestProxy([model(), completed], { budget: { credits: 100, store } })
    expect(await harness.clock.run(statusOf(harness))).toBe(503)
    expect(harness.service.received.map(({ method }) => method)).toEqual(['GET'])
  })

  test('rejects a run whose price cannot be read, as one that was not sent', async () => {
    const { send, clock, errors } = createTestProxy([errorResponse(500, 'X')], { maxCredits: 100 })
    const { status, headers } = await clock.run(send(`POST ${RUN_PATH}`, RUN))
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(errors).toHaveLength(1)
  })
})

describe('the budget of a user', () => {
  const costing = (credits_used: unknown) => json(200, { ...fixtures.runs.completed.body, credits_used })
  const cancel = (step: Step) => [queued, text(204, null), step]
  test.each<[string, Step[], [used: number, method?: string]]>([
    ['a run that was held to its end', [completed], [PRICE]],
    ['a run that costs what the service says', [costing(3)], [3]],
    ...[-5, Number.MAX_VALUE * 2, 'none'].map((credits_used): [string, Step[], [number, string]] => [
      `a run of which the service says that it costs ${credits_used}`,
      [queued, job('succeeded', { credits_used })],
      [PRICE, 'GET'],
    ]),
    ['a job that succeeded', [queued, succeeded], [PRICE, 'GET']],
    ['a job that failed', [queued, failed], [0, 'GET']],
    ['a job that was cancelled', [queued, job('cancelled')], [0, 'GET']],
    ['a job that runs', [queued, job('processing')], [PRICE, 'GET']],
    ['a job of an unknown status', [queued, job('paused')], [PRICE, 'GET']],
    ['the cancel of a job that confirms it', cancel(job('cancelled')), [0, 'DELETE']],
    ['the cancel of a job that had succeeded', cancel(succeeded), [PRICE, 'DELETE']],
    ['the cancel of an unknown job', [queued, job('cancelled'), broken('ECONNRESET')], [PRICE, 'DELETE']],
  ])('is charged for %s, once', async (_, steps, [used, method]) => {
    const harness = createTestProxy([model(), ...steps], { budget: { credits: 10 } })
    const id = await start(harness)
    if (method !== undefined) await expect(usedBy(harness)).resolves.toBe(PRICE)
    for (let calls = 0; method !== undefined && calls < (method === 'GET' ? 3 : 1); calls++) {
      expect((await harness.send(`${method} /v1/jobs/${id}`)).status).toBe(200)
      await expect(usedBy(harness)).resolves.toBe(used)
    }
    await expect(usedBy(harness)).resolves.toBe(used)
    expect(await usedBy(harness, 'ben')).toBe(0)
  })

  test('is spent by runs that are still under way', async () => {
    const harness = createTestProxy([queueing], { budget: { credits: 2 * PRICE } })
    expect([await statusOf(harness), await statusOf(harness)]).toEqual([202, 202])
    const third = await harness.send(`POST ${RUN_PATH}`, RUN)
    expect(third).toMatchObject({ status: 402, body: { error: { code: 'BUDGET_EXCEEDED' } } })
    expect(await statusOf(harness, { user: 'ben' })).toBe(202)
    expect(harness.service.received.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  test('holds against 50 runs at the same moment', async () => {
    const harness = createTestProxy([queueing], { budget: { credits: 5 * PRICE } })
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(harness)))
    expect(statuses.filter((status) => status === 202)).toHaveLength(5)
    expect(harness.service.received.filter(({ method }) => method === 'POST')).toHaveLength(5)
    await expect(usedBy(harness)).resolves.toBe(5 * PRICE)
  })

  test('is not given back twice by the same job', async () => {
    const harness = createTestProxy([model(), queued, failed, model(), queued, failed], { budget: { credits: 10 } })
    const first = await start(harness)
    await harness.send(`GET /v1/jobs/${first}`)
    await start(harness)
    await harness.send(`GET /v1/jobs/${first}`)
    await expect(usedBy(harness)).resolves.toBe(PRICE)
  })

  test('starts again with each day of UTC; a job counts on the day on which it started', async () => {
    const harness = createTestProxy([model(), queued, model(), queued, failed], { budget: { credits: PRICE } })
    const id = await start(harness)
    await harness.clock.advance(DAY_MS - 1)
    await expect(usedBy(harness)).resolves.toBe(PRICE)
    await harness.clock.advance(1)
    await expect(usedBy(harness)).resolves.toBe(0)
    expect(await statusOf(harness)).toBe(202)
    await harness.send(`GET /v1/jobs/${id}`)
    await expect(usedBy(harness)).resolves.toBe(PRICE)
  })

  test('starts again by the time of day, also after a machine was suspended', async () => {
    let wall = Date.UTC(2026, 5, 1)
    const clock = { ...createManualClock(), wallNow: () => wall }
    const harness = createTestProxy([model(), completed, model(), completed], { budget: { credits: PRICE }, clock })
    await start(harness)
    wall += DAY_MS
    await expect(usedBy(harness)).resolves.toBe(0)
    expect(await statusOf(harness)).toBe(200)
  })

  test('may count for ever', async () => {
    const harness = createTestProxy([model(), completed, model(), completed], {
      budget: { credits: PRICE, windowMs: Number.POSITIVE_INFINITY },
    })
    await start(harness)
    await harness.clock.advance(1_000 * DAY_MS)
    expect(await statusOf(harness)).toBe(402)
  })

  test('may be another one for a user', async () => {
    const authorize = (request: Request) => ({ user: 'anna', credits: Number(request.headers.get('x-plan')) })
    const harness = createTestProxy([model(), completed, model()], { budget: { credits: 0 }, authorize })
    expect(await statusOf(harness, { headers: { 'x-plan': '4' } })).toBe(200)
    expect(await statusOf(harness, { headers: { 'x-plan': '7' } })).toBe(402)
    await expect(harness.proxy.balance({ user: 'anna', credits: 7 })).resolves.toEqual({ used: 4, limit: 7 })
  })

  test('does not stop a model that costs nothing', async () => {
    const free = model({ pricing: { credits_per_run: 0 } })
    const harness = createTestProxy([free, queued], { budget: { credits: 0 } })
    expect(await statusOf(harness)).toBe(202)
  })

  test('is not needed', async () => {
    const harness = createTestProxy([queued])
    await start(harness)
    await expect(usedBy(harness)).resolves.toBe(0)
    expect(harness.service.received.map(({ method }) => method)).toEqual(['POST'])
  })
})

describe('the budget of all users', () => {
  const budget = { credits: 10, totalCredits: 2 * PRICE }

  test('is a limit for all of them together', async () => {
    const harness = createTestProxy([queueing], { budget })
    const statuses: number[] = []
    for (const user of ['anna', 'ben', 'cleo']) statuses.push(await statusOf(harness, { user }))
    expect(statuses).toEqual([202, 202, 402])
    expect(await usedBy(harness, 'cleo')).toBe(0)
  })

  test('gets back what a user may not spend, and what failed', async () => {
    const harness = createTestProxy([model(), queued, model(), failed, queueing], {
      budget: { credits: PRICE, totalCredits: 2 * PRICE },
    })
    const id = await start(harness)
    expect(await statusOf(harness)).toBe(402)
    await harness.send(`GET /v1/jobs/${id}`)
    const statuses = await Promise.all(['anna', 'ben', 'cleo'].map((user) => statusOf(harness, { user })))
    expect(statuses).toEqual([202, 202, 402])
  })

  test('cannot be named by a user', async () => {
    const harness = createTestProxy([queueing], { budget })
    for (const user of ['total', 'user:anna', '0:total']) {
      expect(await statusOf(harness, { user })).toBe(user === '0:total' ? 402 : 202)
      await expect(usedBy(harness, user)).resolves.toBe(user === '0:total' ? 0 : PRICE)
    }
  })
})
