import { getEventListeners } from 'node:events'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { createManualClock, settle } from '../../../test/manual-clock.ts'
import { errorResponse, json, type Step, silent, text } from '../../../test/scripted-service.ts'
import { API_KEY, BASE_URL } from '../../../test/test-client.ts'
import { ModelRun } from '../client.ts'
import type { ResultReceiver } from './run-options.ts'

const { completed, queued } = fixtures.runs
const succeeded = fixtures.jobs.succeeded.body.data
const job_id = queued.body.job_id

/** A service with one response for each endpoint. */
interface Endpoints {
  model?: Step
  run?: Step
  job?: Step
}

/** A client and its service. The model costs 4 credits, and a poll takes 20 ms. */
function start({ model, run, job }: Endpoints = {}) {
  const clock = createManualClock()
  const received: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    received.push(`${request.method} ${pathname}`)
    if (request.method === 'POST') return (run ?? json(202, queued.body))(request)
    if (pathname.startsWith('/v1/models/')) return (model ?? json(200, fixtures.models.textToImage.body))(request)
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 20))
    return (job ?? json(200, { data: succeeded }))(request)
  }
  const client = new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL, fetch, clock, logLevel: 'off' })
  const count = (part: string) => received.filter((line) => line.includes(part)).length
  return { client, clock, received, modelReads: () => count('GET /v1/models/'), runs: () => count('POST') }
}

const held: Endpoints = { run: json(200, completed.body) }
const JSON_JOB = { job_id, model_id: 'aurora-image' }

/** A receiver whose delivery comes at once. */
const webhook: ResultReceiver = {
  prepare: async () => ({ url: 'https://example.com/hook', ref: '1' }),
  expect: async () => {},
  forget: async () => {},
  listen: (_, listener) => {
    void settle().then(() => listener(succeeded as never))
    return () => {}
  },
}

describe('the price of a run (sections 2.1 and 2.4)', () => {
  test.each([
    ['run', {}],
    ['run that is asynchronous', { mode: 'async' }],
    ['run with a signal', { signal: new AbortController().signal }],
    ['run with onStatus', { onStatus: () => {} }],
    ['run with a webhook', { webhook }],
  ] as const)('is on the result of a %s that was polled or delivered', async (_, options) => {
    const { client, clock } = start()
    const { credits_used, credits_per_run } = await clock.run(client.run('aurora-image', {}, options))
    expect([credits_used, credits_per_run]).toEqual([undefined, 4])
  })

  test('is on the result of a submitted job, also long after it ended and long after it was read', async () => {
    const { client, clock, modelReads } = start()
    const job = await clock.run(client.submit('aurora-image', {}))
    await clock.advance(1_800_000)
    await expect(clock.run(job.result())).resolves.toMatchObject({ credits_per_run: 4 })
    expect(modelReads()).toBe(1)
  })

  test('is read once for all runs of runMany', async () => {
    const { client, clock, modelReads } = start()
    const sum = async () => {
      let credits = 0
      const inputs = Array.from({ length: 20 }, (_, index) => ({ index }))
      for await (const run of client.runMany('aurora-image', inputs)) {
        if (run.status === 'fulfilled') credits += run.value.credits_used ?? run.value.credits_per_run ?? Number.NaN
      }
      return credits
    }
    await expect(clock.run(sum())).resolves.toBe(80)
    expect(modelReads()).toBe(1)
  })

  test('is not read when the service says what it charged', async () => {
    const { client, clock, received } = start(held)
    await expect(clock.run(client.run('aurora-image', {}))).resolves.toMatchObject({ credits_used: 4 })
    expect(received).toHaveLength(1)
  })

  test.each([
    ['maxCredits', { maxCredits: 4 }],
    ['validateInput', { validateInput: true }],
  ])('is known from %s', async (_, check) => {
    for (const endpoints of [held, {}]) {
      const { client, clock, modelReads } = start(endpoints)
      const run = client.run('aurora-image', { prompt: 'x' }, check)
      await expect(clock.run(run)).resolves.toMatchObject({ credits_per_run: 4 })
      expect(modelReads()).toBe(1)
    }
  })

  test('is known from models.get, also to `maxCredits`', async () => {
    const { client, clock, modelReads } = start()
    await client.models.get('aurora-image')
    const run = client.run('aurora-image', {}, { mode: 'async', maxCredits: 4 })
    await expect(clock.run(run)).resolves.toMatchObject({ credits_per_run: 4 })
    expect(modelReads()).toBe(1)
  })

  test('is read with the headers of the run, and leaves nothing on its signal', async () => {
    const headers: (string | null)[] = []
    const model: Step = (request) => {
      headers.push(request.headers.get('x-tenant'))
      return json(200, fixtures.models.textToImage.body)(request)
    }
    const { client, clock } = start({ model })
    const { signal } = new AbortController()
    await clock.run(client.run('aurora-image', {}, { headers: { 'x-tenant': 'a' }, signal }))
    expect(headers).toEqual(['a'])
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('is read for a job of another process whose model is known', async () => {
    const { client, clock } = start()
    await expect(clock.run(client.jobs.attach(JSON_JOB).result())).resolves.toMatchObject({ credits_per_run: 4 })
    const first = start()
    const settled = first.clock.run(first.client.jobs.settle([JSON_JOB]).next())
    await expect(settled).resolves.toMatchObject({ value: { value: { credits_per_run: 4 } } })
  })

  test('is not known for a job of which only the id is known', async () => {
    const { client, clock, modelReads } = start()
    const result = await clock.run(client.jobs.attach(job_id).result())
    expect(result).not.toHaveProperty('credits_per_run')
    expect(modelReads()).toBe(0)
  })
})

describe('a price that cannot be read', () => {
  test.each([
    ['is forbidden', errorResponse(403, 'FORBIDDEN'), 1],
    ['fails', text(500, ''), 1],
    // Eight runs at once share a request, which ends with them.
    ['does not come', silent(), 3],
    ['is not a price', json(200, { id: 'aurora-image' }), 1],
  ])('(it %s) costs a run neither its result nor a moment, and is not asked for with each', async (_, model, reads) => {
    const { client, clock, runs, modelReads } = start({ model })
    const startedAt = clock.now()
    const inputs = Array.from({ length: 20 }, (_, index) => ({ index }))
    const all = async () => {
      for await (const run of client.runMany('aurora-image', inputs)) {
        expect(run).toMatchObject({ status: 'fulfilled' })
        if (run.status === 'fulfilled') expect(run.value).not.toHaveProperty('credits_per_run')
      }
    }
    await clock.run(all())
    const normal = start()
    const normalStart = normal.clock.now()
    await normal.clock.run(normal.client.run('aurora-image', {}, { mode: 'async' }))
    expect(clock.now() - startedAt).toBeLessThanOrEqual(4 * (normal.clock.now() - normalStart))
    expect(runs()).toBe(20)
    expect(modelReads()).toBe(reads)
    await settle()
    expect(clock.timerCount).toBe(0)
  })

  test('does not keep an aborted run busy', async () => {
    const { client, clock } = start({ model: silent(), job: json(200, { data: { status: 'processing' } }) })
    const controller = new AbortController()
    const { signal } = controller
    const run = client.run('aurora-image', {}, { signal }).catch(() => {})
    await clock.advance(100)
    controller.abort()
    await run
    await settle()
    expect([getEventListeners(signal, 'abort').length, clock.timerCount]).toEqual([0, 0])
  })

  test('leaves nothing on the signal of a submit, and ends by itself', async () => {
    const { client, clock } = start({ model: silent() })
    const { signal } = new AbortController()
    await clock.run(client.submit('aurora-image', {}, { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await clock.advance(5_000)
    expect(clock.timerCount).toBe(0)
  })

  test('is read on for a run when another one, which asked first, is aborted', async () => {
    const responses: (() => void)[] = []
    const model: Step = (request) =>
      new Promise((resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
        responses.push(() => resolve(json(200, fixtures.models.textToImage.body)(request)))
      })
    const { client, clock, modelReads } = start({ model })
    const controller = new AbortController()
    const first = client.run('aurora-image', {}, { signal: controller.signal }).catch(() => {})
    const second = client.run('aurora-image', {}, { mode: 'async' })
    await settle()
    controller.abort()
    await first
    for (const respond of responses) respond()
    await expect(clock.run(second)).resolves.toMatchObject({ credits_per_run: 4 })
    expect(modelReads()).toBe(1)
  })
})
