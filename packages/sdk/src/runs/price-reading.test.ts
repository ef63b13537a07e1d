import { getEventListeners } from 'node:events'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { ServerError } from '../errors/api-errors.ts'
import type { ModelRunOptions } from '../options.ts'
import { caught } from '../testing/caught.ts'
import { settle } from '../testing/manual-clock.ts'
import { errorResponse, json, type Step, silent, text } from '../testing/scripted-service.ts'
import { createTestClient } from '../testing/test-client.ts'
import type { WebhookReceiver } from './run-options.ts'

const { completed, queued } = fixtures.runs
const succeeded = fixtures.jobs.succeeded.body.data
const job_id = queued.body.job_id

/** A service with one response for each endpoint. */
interface Endpoints {
  model?: Step
  run?: Step
  job?: Step
}

/** The fast model costs 4 credits. */
function start({ model, run, job }: Endpoints = {}, options: ModelRunOptions = {}) {
  const serve: Step = (request) => {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') return (run ?? json(200, completed.body))(request)
    if (pathname.startsWith('/v1/models/')) return (model ?? json(200, fixtures.models.textToImage.body))(request)
    return (job ?? json(200, { data: succeeded }))(request)
  }
  const harness = createTestClient([serve], options)
  const count = (part: string) =>
    harness.service.received.filter(({ method, path }) => `${method} ${path}`.includes(part))
  return { ...harness, modelReads: () => count('GET /v1/models/').length, runs: () => count('POST').length }
}

const polled: Endpoints = { run: json(202, queued.body) }

describe('the price of a run (sections 2.1 and 2.4)', () => {
  test('is not on the result unless it was read, and nothing is read for it', async () => {
    const { client, clock, service } = start(polled)
    const result = await clock.run(client.run('aurora-image', {}, { mode: 'async' }))
    expect(result).not.toHaveProperty('credits_per_run')
    expect(result).not.toHaveProperty('credits_used')
    expect(service.received).toHaveLength(2)
  })

  test('is read once for `readPrice`, beside the run', async () => {
    const { client, clock, service, modelReads } = start(polled)
    const options = { mode: 'async', readPrice: true } as const
    const result = await clock.run(client.run('aurora-image', {}, options))
    expect(result).toMatchObject({ job_id, credits_per_run: 4 })
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ credits_per_run: 4 })
    await clock.run(client.run('aurora-image', {}, options))
    expect(modelReads()).toBe(1)
    expect(new Set(service.received.slice(0, 2).map(({ at }) => at)).size).toBe(1)
  })

  test('stands beside what the service charged on a held run', async () => {
    const { client } = start()
    const result = await client.run('aurora-image', {}, { readPrice: true })
    expect(result).toMatchObject({ credits_used: 4, credits_per_run: 4 })
  })

  test.each([
    ['maxCredits', { maxCredits: 4 }],
    ['validateInput', { validateInput: true }],
  ])('is known from %s', async (_, check) => {
    for (const endpoints of [{}, polled]) {
      const { client, clock, modelReads } = start(endpoints)
      const run = client.run('aurora-image', { prompt: 'x' }, check)
      await expect(clock.run(run)).resolves.toMatchObject({ credits_per_run: 4 })
      expect(modelReads()).toBe(1)
    }
  })

  test('is known from models.get, also to `maxCredits`', async () => {
    const { client, clock, modelReads } = start(polled)
    await client.models.get('aurora-image')
    const run = client.run('aurora-image', {}, { mode: 'async', maxCredits: 4 })
    await expect(clock.run(run)).resolves.toMatchObject({ credits_per_run: 4 })
    expect(modelReads()).toBe(1)
  })

  test('is that of the submission, however long the job takes', async () => {
    let isDone = false
    const { client, clock } = start({
      ...polled,
      job: () => Response.json({ data: isDone ? succeeded : { status: 'processing' } }),
    })
    const run = client.run('aurora-image', {}, { mode: 'async', maxCredits: 4, deadlineMs: 3_600_000 })
    await clock.advance(1_800_000)
    isDone = true
    await expect(clock.run(run)).resolves.toMatchObject({ credits_per_run: 4 })
  })

  test('is read with the headers of the run, and leaves nothing on its signal', async () => {
    const headers: (string | null)[] = []
    const model = (request: Request) => {
      headers.push(request.headers.get('x-tenant'))
      return json(200, fixtures.models.textToImage.body)(request)
    }
    const { client } = createTestClient([model, json(200, fixtures.runs.completed.body)])
    const { signal } = new AbortController()
    const steps = { readPrice: true, mode: 'sync', headers: { 'x-tenant': 'a' }, signal } as const
    await client.run('aurora-image', {}, steps)
    expect(headers).toEqual(['a'])
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test.each([
    ['succeeds', succeeded],
    ['fails', fixtures.jobs.failed.body.data],
  ])('leaves nothing on the signal of a wait for a job that %s', async (_, data) => {
    const { client, clock } = start({ job: json(200, { data }) })
    const { signal } = new AbortController()
    const job = client.jobs.attach({ job_id, model_id: 'aurora-image' })
    await clock.run(job.result({ readPrice: true, signal }).catch(() => {}))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('comes with a delivery', async () => {
    const webhook: WebhookReceiver = {
      prepare: async () => ({ url: 'https://example.com/hook', ref: '1' }),
      expect: async () => {},
      forget: async () => {},
      listen: (_, listener) => {
        void settle().then(() => listener({ ...succeeded, credits_used: 4 } as never))
        return () => {}
      },
    }
    const { client } = start({ ...polled, job: silent() })
    const run = client.run('aurora-image', {}, { webhook, readPrice: true })
    await expect(run).resolves.toMatchObject({ credits_used: 4, credits_per_run: 4 })
  })

  test('is read once for all runs of runMany', async () => {
    const { client, clock, modelReads } = start(polled)
    const sum = async () => {
      let credits = 0
      const inputs = Array.from({ length: 20 }, (_, index) => ({ index }))
      for await (const run of client.runMany('aurora-image', inputs, { readPrice: true })) {
        if (run.status === 'fulfilled') credits += run.value.credits_used ?? run.value.credits_per_run ?? Number.NaN
      }
      return credits
    }
    await expect(clock.run(sum())).resolves.toBe(80)
    expect(modelReads()).toBe(1)
  })

  test.each([
    ['a job that came as JSON', { job_id, model_id: 'aurora-image' }, { data: succeeded }],
    ['a job whose state names its model', job_id, { data: { ...succeeded, model_id: 'aurora-image' } }],
  ])('is read for %s', async (_, source, body) => {
    const { client, clock } = start({ job: json(200, body) })
    const result = await clock.run(client.jobs.attach(source).result({ readPrice: true }))
    expect(result).toMatchObject({ model_id: 'aurora-image', credits_per_run: 4 })
  })

  test('is not known for a job of which only the id is known', async () => {
    const { client, clock, modelReads } = start()
    const result = await clock.run(client.jobs.wait(job_id, { readPrice: true }))
    expect(result).not.toHaveProperty('credits_per_run')
    expect(modelReads()).toBe(0)
  })

  test('comes with jobs.settle', async () => {
    const { client, clock } = start()
    const first = client.jobs.settle([{ job_id, model_id: 'aurora-image' }], { readPrice: true }).next()
    await expect(clock.run(first)).resolves.toMatchObject({ value: { value: { credits_per_run: 4 } } })
  })
})

describe('a price that cannot be read', () => {
  test.each([
    ['is forbidden', errorResponse(403, 'FORBIDDEN')],
    ['fails', text(500, '')],
    ['does not come', silent()],
    ['is no price', json(200, { id: 'aurora-image' })],
  ])('(it %s) costs a run neither its result nor more than five seconds', async (_, model) => {
    for (const endpoints of [{ model }, { model, ...polled }]) {
      const { client, clock, runs } = start(endpoints)
      const startedAt = clock.now()
      const result = await clock.run(client.run('aurora-image', {}, { readPrice: true }))
      expect(result.status).toBe('succeeded')
      expect(result).not.toHaveProperty('credits_per_run')
      expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000)
      expect(runs()).toBe(1)
      await settle()
      expect(clock.timerCount).toBe(0)
    }
  })

  test('is not asked for twice by one run', async () => {
    const { client, clock, modelReads } = start({ ...polled, model: errorResponse(403, 'FORBIDDEN') })
    await clock.run(client.run('aurora-image', {}, { readPrice: true }))
    expect(modelReads()).toBe(1)
  })

  test('does not hold a run back', async () => {
    const { client, clock, runs } = start({ model: silent() })
    const run = client.run('aurora-image', {}, { readPrice: true })
    await settle()
    expect(runs()).toBe(1)
    await clock.run(run)
  })

  test('does not exceed the deadline of the run', async () => {
    const { client, clock } = start({ ...polled, model: silent() })
    const startedAt = clock.now()
    await clock.run(client.run('aurora-image', {}, { readPrice: true, deadlineMs: 1_000 }))
    expect(clock.now() - startedAt).toBeLessThanOrEqual(1_000)
  })

  test('is not waited for after an abort: the result is there', async () => {
    const { client, clock } = start({ model: silent() })
    const controller = new AbortController()
    const { signal } = controller
    const run = client.run('aurora-image', {}, { mode: 'sync', readPrice: true, signal })
    await settle()
    controller.abort()
    await expect(run).resolves.toMatchObject({ job_id: completed.body.job_id })
    await settle()
    expect([getEventListeners(signal, 'abort').length, clock.timerCount]).toEqual([0, 0])
  })

  test('is not read to the end when the run fails', async () => {
    const { client, clock, service } = start({ model: silent(), run: text(500, '') })
    await caught(client.run('aurora-image', {}, { readPrice: true }), ServerError)
    await settle()
    expect(service.received.find(({ method }) => method === 'GET')?.request.signal.aborted).toBe(true)
    expect(clock.timerCount).toBe(0)
  })
})
