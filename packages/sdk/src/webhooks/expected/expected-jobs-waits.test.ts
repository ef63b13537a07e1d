import type { Task } from '@modelrun/kit'
import { RetryAfterError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { openCore, taskOf } from '../../../test/test-core.ts'
import { jobsOf, SUCCEEDED, SUCCEEDED_JOB } from '../../../test/test-inbox.ts'
import { ApiError, NotFoundError, ServerError } from '../../client/errors/api-errors.ts'
import type { InboxOptions } from '../inbox-options.ts'
import { pollOverdue } from './expected-jobs.ts'

const { job_id } = SUCCEEDED
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const running = () => ({ status: 'processing' })
const fail = (error: unknown) => () => {
  throw error
}
const notFound = new NotFoundError({ message: 'no such job', status: 404 })

function openOverdue(state: Parameters<typeof jobsOf>[0], options: InboxOptions = {}) {
  const { client, calls } = jobsOf(state)
  const harness = openCore({ client, ...options })
  const notedAt = harness.clock.now()
  const outcome: unknown[] = []
  const note = (end: unknown) => void outcome.push(end)
  harness.core.subscribers.wait(job_id).event.then(note, note)
  const poll = (run: Partial<Task> = {}) => pollOverdue(harness.core, taskOf(job_id, { notedAt, context: 'mine' }, run))
  return { ...harness, calls, outcome, poll }
}

describe('an overdue job that runs', () => {
  test.each([
    [1, 60_000],
    [2, 120_000],
    [3, 240_000],
    [4, 480_000],
    [5, 900_000],
    [20, 900_000],
  ])('is polled after its run %i in %i ms, a fifth more or less', async (fence, waitMs) => {
    const { poll } = openOverdue(running)
    const { delayMs } = await caught(poll({ fence }), RetryAfterError)
    expect(delayMs).toBeGreaterThanOrEqual(0.8 * waitMs)
    expect(delayMs).toBeLessThanOrEqual(1.2 * waitMs)
  })

  test('is polled sooner when the user expects deliveries sooner', async () => {
    const { poll } = openOverdue(running, { expectedAfterMs: 5_000 })
    const { delayMs } = await caught(poll(), RetryAfterError)
    expect(delayMs).toBeGreaterThanOrEqual(4_000)
    expect(delayMs).toBeLessThanOrEqual(6_000)
  })

  test('is polled a last time when `giveUpAfterMs` is over', async () => {
    const { poll, clock, notices, outcome, count } = openOverdue(running, { giveUpAfterMs: DAY_MS })
    await clock.advance(DAY_MS - 1_000)
    await expect(poll({ fence: 20 })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 1_000 })
    expect(notices.onLost).toEqual([])
    await clock.advance(1_000)
    const message = `The job ${job_id} was given up: it has not ended in time.`
    await expect(poll({ fence: 21 })).rejects.toMatchObject({ name: 'NonRetriableError', code: 'gave_up', message })
    expect(notices.onLost).toEqual([{ jobId: job_id, reason: 'gave_up', context: 'mine' }])
    expect(count('dead')).toBe(1)
    await settle()
    expect(outcome).toMatchObject([{ name: 'JobLostError', message, jobId: job_id }])
  })
})

describe('an overdue job that has ended', () => {
  test('is not polled when its delivery came meanwhile', async () => {
    const { core, poll, calls, notices } = openOverdue(() => SUCCEEDED_JOB)
    await core.queues.results.add(job_id, {})
    await expect(poll()).resolves.toBeUndefined()
    expect([calls, notices.onWebhookMissed]).toEqual([[], []])
  })

  test('has its result handled, also when its time was over', async () => {
    const { poll, engine, clock, notices, metrics } = openOverdue(() => SUCCEEDED_JOB)
    await clock.advance(2 * DAY_MS)
    await expect(poll()).resolves.toBeUndefined()
    const event = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }
    await expect(engine.task('results', job_id)).resolves.toMatchObject({
      data: { source: 'poll', token: 'none', event, receivedAt: clock.now() },
    })
    expect(notices.onWebhookMissed).toEqual([{ jobId: job_id, event, context: 'mine' }])
    expect(notices.onLost).toEqual([])
    expect(metrics).toEqual([{ name: 'reconciled', value: 1, jobId: job_id }])
  })
})

test('an overdue job waits for a service that is away, as long as the outage has lasted', async () => {
  const { poll, clock } = openOverdue(fail(new ServerError({ message: 'down', status: 503 })))
  await expect(poll({ fence: 5 })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 1_000 })
  await clock.advance(2 * MINUTE_MS)
  await expect(poll({ fence: 6 })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 2 * MINUTE_MS })
})

test('an overdue job is given up when the service does not have it at the third attempt', async () => {
  const { poll, notices, outcome } = openOverdue(fail(notFound))
  for (const attempt of [1, 2]) await expect(poll({ attempt })).rejects.toBe(notFound)
  expect(notices.onLost).toEqual([])
  const message = `The job ${job_id} was given up: the service does not have it.`
  await expect(poll({ attempt: 3 })).rejects.toMatchObject({ name: 'NonRetriableError', code: 'not_found', message })
  expect(notices.onLost).toEqual([{ jobId: job_id, reason: 'not_found', context: 'mine' }])
  await settle()
  expect(outcome).toMatchObject([{ name: 'JobLostError', message }])
})

test('an overdue job whose id the service rejects is given up at once', async () => {
  const { poll, notices } = openOverdue(fail(new ApiError({ message: 'bad id', status: 400 })))
  await expect(poll()).rejects.toMatchObject({ name: 'NonRetriableError', code: 'not_found' })
  expect(notices.onLost).toHaveLength(1)
})

describe('an overdue job of an inbox without a client', () => {
  test('waits for its delivery exactly until it is given up', async () => {
    const { core, clock, notices } = openCore({ giveUpAfterMs: DAY_MS })
    const task = taskOf(job_id, { notedAt: clock.now() })
    await clock.advance(MINUTE_MS)
    await expect(pollOverdue(core, task)).rejects.toMatchObject({
      name: 'RetryAfterError',
      delayMs: DAY_MS - MINUTE_MS,
    })
    await clock.advance(DAY_MS - MINUTE_MS)
    await expect(pollOverdue(core, task)).rejects.toMatchObject({ name: 'NonRetriableError', code: 'gave_up' })
    expect(notices.onLost).toEqual([{ jobId: job_id, reason: 'gave_up', context: undefined }])
  })

  test('counts as noted now when an older version wrote a context that this one cannot read', async () => {
    const { core } = openCore({ giveUpAfterMs: DAY_MS })
    await expect(pollOverdue(core, taskOf(job_id, { old: true }))).rejects.toMatchObject({ delayMs: DAY_MS })
  })
})
