import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { errorResponse, json, type Step, silent, stalled, text, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { DeadlineExceededError } from '../errors/transport-errors.ts'
import type { RunOptions } from './run-options.ts'

const { completed, processingSlow, queued } = fixtures.runs
const succeeded = json(200, fixtures.jobs.succeeded.body)
const running = json(200, fixtures.jobs.processing.body)
const { output } = fixtures.jobs.succeeded.body.data

const INPUT = { prompt: 'a red fox' }
const HOOK = 'https://example.com/hook'
const HTTP = 'http://127.0.0.1:4010/hook'

describe('client.run (section 4.3)', () => {
  test('gives the result of a 200 response with one request', async () => {
    const { client, service } = createTestClient([json(200, completed.body)])
    await expect(client.run('aurora-image', INPUT)).resolves.toEqual({ ...completed.body, status: 'succeeded' })
    expect(service.received).toMatchObject([
      { method: 'POST', path: '/v1/models/aurora-image/run', body: { input: INPUT } },
    ])
  })

  test('learns from a held run when the next one of the model is worth a poll', async () => {
    const held = async () => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 20_000))
      return Response.json(completed.body)
    }
    const { client, clock, service } = createTestClient([held, json(202, queued.body), running, succeeded])
    await clock.run(client.run(completed.body.model_id, INPUT))
    await clock.run(client.run(completed.body.model_id, INPUT, { mode: 'async' }))
    const [, submitted, polled] = service.times()
    expect((polled ?? 0) - (submitted ?? 0)).toBeGreaterThan(15_000)
  })

  test.each([
    ['202 processing', json(202, processingSlow.body), processingSlow.body],
    ['202 queued', json(202, queued.body), queued.body],
    ['200 queued', json(200, queued.body), queued.body],
  ])('polls to the end after %s, and keeps the ids of the run', async (_, step, { job_id, request_id, model_id }) => {
    const { client, clock, service } = createTestClient([step, running, succeeded])
    const result = await clock.run(client.run(model_id, INPUT))
    expect(result).toEqual({ job_id, request_id, model_id, status: 'succeeded', output })
    expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/models/${model_id}/run`,
      `GET /v1/jobs/${job_id}`,
      `GET /v1/jobs/${job_id}`,
    ])
  })

  test('waits half a second before the first poll of a job that was just started', async () => {
    const { client, clock, service } = createTestClient([json(202, queued.body), succeeded])
    await clock.run(client.run('aurora-image', INPUT))
    expect(service.times()).toEqual([0, 500])
  })

  test.each([
    ['an unknown status', { job_id: 'job_1', status: 'warming' }],
    ['completed without an output', { job_id: 'job_1', status: 'completed' }],
  ])('polls the job at once after a 200 response with %s', async (_, body) => {
    const { client, clock, service } = createTestClient([json(200, body), succeeded])
    const result = { job_id: 'job_1', model_id: 'aurora-image', status: 'succeeded', output }
    await expect(clock.run(client.run('aurora-image', INPUT))).resolves.toEqual(result)
    expect(service.times()).toEqual([0, 0])
  })
})

describe('what client.run sends (section 4.3)', () => {
  test.each([
    ['holds by default', {}, {}],
    ['holds when asked to', { mode: 'sync', deadlineMs: 1_000 }, {}],
    ['does not hold when asked not to', { mode: 'async' }, { sync: false }],
    ['does not hold with a deadline at the end of the hold', { deadlineMs: 60_000 }, { sync: false }],
    ['holds with a longer deadline', { deadlineMs: 60_001 }, {}],
    ['does not hold when an abort is to cancel the job', { onAbort: 'cancel' }, { sync: false }],
    ['does not hold when the deadline is to cancel the job', { onDeadline: 'cancel' }, { sync: false }],
    ['holds when asked to, also then', { mode: 'sync', onAbort: 'cancel' }, {}],
    ['holds without any deadline', { deadlineMs: Number.POSITIVE_INFINITY }, {}],
    ['does not hold when a signal may abort it', { signal: new AbortController().signal }, { sync: false }],
    ['does not hold when its progress is followed', { onStatus: () => {} }, { sync: false }],
    ['does not hold when a webhook brings the result', { webhookUrl: HOOK }, { sync: false, webhook_url: HOOK }],
    [
      'takes a webhook over http, since HTTPS is only recommended',
      { webhookUrl: HTTP },
      { sync: false, webhook_url: HTTP },
    ],
    ['holds when asked to, with a webhook too', { mode: 'sync', webhookUrl: HOOK }, { webhook_url: HOOK }],
  ] as const)('%s', async (_, options, body) => {
    const { client, service } = createTestClient([json(200, completed.body)])
    await client.run('aurora-image', INPUT, options)
    expect(service.received[0]?.body).toEqual({ input: INPUT, ...body })
  })

  const model = json(200, fixtures.models.textToImage.body)
  test.each<[string, Step[], RunOptions]>([
    ['the preflight', [text(500, ''), model], { deadlineMs: 60_100, maxCredits: 10 }],
    ['a rejection', [errorResponse(429, 'BUSY', { 'retry-after': '10' })], { deadlineMs: 65_000 }],
  ])('does not hold when %s used up the time for it', async (_, steps, options) => {
    const { client, clock, service } = createTestClient([...steps, json(200, completed.body)])
    await clock.run(client.run('aurora-image', INPUT, options))
    expect(service.received.at(-1)?.body).toEqual({ input: INPUT, sync: false })
  })
})

describe('the deadline of client.run', () => {
  test('during the hold leaves open whether the run was accepted', async () => {
    const { client, clock } = createTestClient([silent()])
    const running = client.run('aurora-image', INPUT, { mode: 'sync', deadlineMs: 1_000 })
    const error = await caught(clock.run(running), DeadlineExceededError)
    expect(error).toMatchObject({ submission: 'unknown', isRetryable: false })
    expect(error.message).toContain('1000 ms')
    expect(error.job).toBeUndefined()
    expect(clock.elapsedMs()).toBe(1_000)
  })

  test('during the polling gives the live job, whose result can still be had', async () => {
    const { client, clock } = createTestClient([json(202, queued.body), running, running, succeeded])
    const work = client.run('aurora-image', INPUT, { deadlineMs: 1_200 })
    const error = await caught(clock.run(work), DeadlineExceededError)
    expect(error).toMatchObject({ submission: 'accepted', jobId: queued.body.job_id })
    expect(error.message).toContain('its last status is processing')
    const result = error.job?.result() ?? Promise.reject(new Error('no job'))
    await expect(clock.run(result)).resolves.toMatchObject({ output, model_id: 'aurora-image' })
  })

  test.each([
    ['is one budget over submission and polling', { deadlineMs: 5_000 }, 5_000],
    ['is 10 minutes by default', {}, 600_000],
  ])('%s', async (_, options, afterMs) => {
    const { client, clock } = createTestClient([unconnected('ECONNREFUSED'), json(202, queued.body), running])
    await caught(clock.run(client.run('aurora-image', INPUT, options)), DeadlineExceededError)
    expect(clock.elapsedMs()).toBe(afterMs)
    expect(clock.timerCount).toBe(0)
  })

  test('keeps the job that a stalled response named', async () => {
    const { client, clock } = createTestClient([stalled(202, '{"job_id":"job_1"'), running])
    const work = clock.run(client.run('aurora-image', INPUT, { deadlineMs: 1_000 }))
    const error = await caught(work, DeadlineExceededError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
    expect(error.job?.id).toBe('job_1')
  })
})

test.each([
  ['asks not to be held', {}, {}],
  ['sends a webhook URL', { webhookUrl: HOOK }, { webhook_url: HOOK }],
])('client.submit (section 4.3) %s, and gives the job at once', async (_, options, body) => {
  const { client, service } = createTestClient([json(202, queued.body)])
  const job = await client.submit('aurora-image', INPUT, options)
  expect(job).toMatchObject({ id: queued.body.job_id, modelId: 'aurora-image', requestId: queued.body.request_id })
  expect(service.received[0]?.body).toEqual({ input: INPUT, sync: false, ...body })
})

describe('the progress of client.run (section 3)', () => {
  test.each([
    ['async', [json(202, queued.body), running, running, succeeded], ['queued', 'processing', 'succeeded']],
    ['async', [json(202, queued.body), json(200, { data: { status: 'queued' } }), succeeded], ['queued', 'succeeded']],
    ['sync', [json(202, processingSlow.body), running, succeeded], ['processing', 'succeeded']],
    ['sync', [json(200, completed.body)], ['succeeded']],
  ] as const)('notifies onStatus of each state from the response on (mode %s)', async (mode, steps, states) => {
    const { client, clock } = createTestClient([...steps])
    const heard: [string, string][] = []
    const onStatus: RunOptions['onStatus'] = ({ status }, job) => heard.push([status, job.id])
    const { job_id } = await clock.run(client.run('aurora-image', INPUT, { mode, onStatus }))
    expect(heard).toEqual(states.map((status) => [status, job_id]))
  })

  test('notifies onStatus of queued as soon as the service has responded, before any poll', async () => {
    const { client, clock, service } = createTestClient([json(202, queued.body), running, succeeded])
    const at: number[] = []
    await clock.run(client.run('aurora-image', INPUT, { onStatus: () => at.push(clock.elapsedMs()) }))
    expect(at).toEqual(service.times())
  })
})
