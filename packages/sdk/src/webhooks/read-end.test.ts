import { RetryAfterError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../test/caught.ts'
import { settle } from '../../test/manual-clock.ts'
import { EXPECTED, jobTask, openCore, openWork } from '../../test/test-core.ts'
import { jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { ApiError, NotFoundError, ServerError } from '../client/errors/api-errors.ts'
import type { StoredJob } from './stored-job.ts'
import type { UnknownEvent } from './webhook-event.ts'
import { workJob } from './work-job.ts'

const { job_id } = SUCCEEDED
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const running = () => ({ status: 'processing' })
const fail = (error: unknown) => () => {
  throw error
}
const notFound = new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
const badId = new ApiError({ message: 'bad id', status: 400, apiCode: 'VALIDATION_ERROR' })
const down = new ServerError({ message: 'down', status: 503, retryAfterMs: 7_000 })
const UNKNOWN: UnknownEvent = { status: 'unknown', job_id, reported_status: 'paused', payload: { status: 'paused' } }

describe('a job that runs', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [10, 10_000],
    [2_000, 15 * MINUTE_MS],
  ])('and whose delivery came is polled after run %i in %i ms', async (fence, delayMs) => {
    const { work } = openWork(running)
    await expect(work({}, { fence })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs })
  })

  test.each([
    [1, 60_000, {}],
    [2, 120_000, {}],
    [5, 900_000, {}],
    [20, 900_000, {}],
    [1, 5_000, { expectedAfterMs: 5_000 }],
  ])('and is expected is polled after run %i in %i ms, a fifth more or less', async (fence, waitMs, options) => {
    const { work } = openWork(running, options)
    const { delayMs } = await caught(work(EXPECTED, { fence }), RetryAfterError)
    expect(delayMs).toBeGreaterThanOrEqual(0.8 * waitMs)
    expect(delayMs).toBeLessThanOrEqual(1.2 * waitMs)
  })

  test('and is expected is given up after `giveUpAfterMs`, and not a millisecond sooner', async () => {
    const { work, clock, notices, outcome } = openWork(running)
    await clock.advance(DAY_MS - 1_000)
    await expect(work(EXPECTED, { fence: 20 })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 1_000 })
    expect(notices.onDead).toEqual([])
    await clock.advance(1_000)
    const message = `The job ${job_id} was given up: it has not ended in time.`
    await expect(work(EXPECTED)).rejects.toMatchObject({ name: 'NonRetriableError', code: 'gave_up', message })
    expect(notices.onDead).toMatchObject([
      { jobId: job_id, event: undefined, error: { code: 'gave_up' }, context: 'mine' },
    ])
    await settle()
    expect(outcome.mock.calls).toMatchObject([[{ name: 'JobLostError', message, jobId: job_id }]])
  })

  test('and whose delivery came is a dead letter after `giveUpAfterMs`', async () => {
    const { work, clock, notices } = openWork(running)
    await clock.advance(DAY_MS)
    const message = `The job ${job_id} was given up: the service does not confirm its delivery.`
    await expect(work()).rejects.toMatchObject({ name: 'NonRetriableError', code: 'unconfirmed', message })
    expect(notices.onDead).toMatchObject([{ jobId: job_id, event: SUCCEEDED, error: { code: 'unconfirmed' } }])
  })

  test('is polled as if expected when the delivery is of a status that is not its end', async () => {
    const { work, clock } = openWork(running, { expectedAfterMs: 5_000 })
    const { delayMs } = await caught(work({ event: UNKNOWN }), RetryAfterError)
    expect(delayMs).toBeGreaterThanOrEqual(4_000)
    await clock.advance(DAY_MS)
    await expect(work({ event: UNKNOWN })).rejects.toMatchObject({ code: 'gave_up' })
  })
})

describe('a job that the service does not have', () => {
  const atThird = { attempt: 3, fence: 4 }

  test.each<[string, unknown, Partial<StoredJob>]>([
    ['is missing, of an unverified sender', notFound, { token: 'none' }],
    ['is missing, of a valid token', notFound, {}],
    ['is rejected, of an unverified sender', badId, { token: 'none' }],
  ])('and that %s is dropped', async (_, error, job) => {
    const { work, notices, onSucceeded } = openWork(fail(error))
    await expect(work(job, atThird)).resolves.toEqual({ isDropped: true })
    expect(notices.onDead).toEqual([])
    expect(onSucceeded).not.toHaveBeenCalled()
  })

  test('is polled three times before that', async () => {
    for (const job of [{}, EXPECTED, { token: 'none' }] as const) {
      for (const attempt of [1, 2]) {
        await expect(openWork(fail(notFound)).work(job, { attempt })).rejects.toBe(notFound)
      }
    }
  })

  test('and that is expected is lost without a delivery, and waits with one', async () => {
    const { work, notices } = openWork(fail(notFound))
    const message = `The job ${job_id} was given up: the service does not have it.`
    await expect(work(EXPECTED, atThird)).rejects.toMatchObject({ code: 'not_found', message })
    expect(notices.onDead).toMatchObject([{ jobId: job_id, error: { code: 'not_found' }, context: 'mine' }])
    const delivered = work({ isExpected: true }, atThird)
    await expect(delivered).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 4_000 })
    await expect(work({ isExpected: true, notedAt: 0 }, atThird)).rejects.toMatchObject({ code: 'unconfirmed' })
  })

  test('and whose id it rejects is given up at once', async () => {
    const { work, notices } = openWork(fail(badId))
    await expect(work(EXPECTED)).rejects.toMatchObject({ code: 'not_found' })
    await expect(work()).rejects.toMatchObject({ code: 'unconfirmed' })
    expect(notices.onDead).toMatchObject([{ event: undefined }, { event: SUCCEEDED }])
  })

  test('is dropped for ten minutes for unverified senders, and not for those who expect it', async () => {
    let isKnown = false
    const { client, calls } = jobsOf(() => (isKnown ? SUCCEEDED_JOB : fail(notFound)()))
    const onSucceeded = vi.fn()
    const { deliver, clock, inbox } = openInbox({ client, onSucceeded })
    await deliver(SUCCEEDED)
    await clock.advance(5_000)
    for (let minute = 0; minute < 9; minute++) {
      await deliver(SUCCEEDED)
      await clock.advance(MINUTE_MS)
    }
    expect(calls).toHaveLength(3)
    isKnown = true
    await inbox.expect(job_id, { pollInMs: 0, context: 'mine' })
    await clock.advance(1_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { source: 'poll', context: 'mine' }]])
    await inbox.drain()
  })
})

test('a success without its output is polled twice more before `onUnknown` gets it', async () => {
  const onUnknown = vi.fn()
  const { work } = openWork(() => ({ status: 'succeeded' }), { onUnknown })
  for (const attempt of [1, 2]) await expect(work({}, { attempt })).rejects.toThrow('has no output yet')
  expect(onUnknown).not.toHaveBeenCalled()
  await work({}, { attempt: 3 })
  expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'succeeded' }, {}]])
})

describe('while the service is away', () => {
  test('a job waits, as long as the service says or longer from run to run', async () => {
    const { work } = openWork(fail(down))
    for (const job of [{}, EXPECTED]) await expect(work(job)).rejects.toMatchObject({ delayMs: 7_000 })
    for (const [fence, delayMs] of [
      [4, 8_000],
      [20, 5 * MINUTE_MS],
    ] as const) {
      await expect(work({}, { fence })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs })
    }
  })

  test('a job whose time is over is lost, unless its delivery came', async () => {
    const { work } = openWork(fail(down))
    await expect(work({ ...EXPECTED, notedAt: 0 })).rejects.toMatchObject({ code: 'gave_up' })
    await expect(work({ notedAt: 0 })).rejects.toMatchObject({ name: 'RetryAfterError' })
  })
})

test('an expected job of an inbox without a client waits for its delivery exactly until it is given up', async () => {
  const { core, clock, notices } = openCore({ giveUpAfterMs: DAY_MS })
  await clock.advance(MINUTE_MS)
  await expect(workJob(core, jobTask(EXPECTED))).rejects.toMatchObject({ delayMs: 15 * MINUTE_MS })
  await clock.advance(DAY_MS - 2 * MINUTE_MS)
  await expect(workJob(core, jobTask(EXPECTED))).rejects.toMatchObject({ delayMs: MINUTE_MS })
  await clock.advance(MINUTE_MS)
  await expect(workJob(core, jobTask(EXPECTED))).rejects.toMatchObject({ code: 'gave_up' })
  expect(notices.onDead).toMatchObject([{ jobId: job_id, error: { code: 'gave_up' }, context: 'mine' }])
})
