import type { Job } from '@modelrun/contract'
import { NonRetriableError, RetryAfterError, type Task } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { EXPECTED, jobTask, openCore, openWork, taskOf } from '../../test/test-core.ts'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import type { StoredJob } from './stored-job.ts'
import type { UnknownEvent } from './webhook-event.ts'
import { workJob } from './work-job.ts'

const { job_id } = SUCCEEDED
const MINUTE_MS = 60_000
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const UNKNOWN: UnknownEvent = { status: 'unknown', job_id, reported_status: 'paused', payload: { status: 'paused' } }
const SAID = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }
const linked = (url: string) => ({ ...SUCCEEDED, output: { type: 'image', items: [{ type: 'image', url }] } })

describe('the handler gets what the service says', () => {
  test('with the credits and the time of a delivery whose output is the same', async () => {
    const { work, onSucceeded, outcome } = openWork(() => ({ ...SUCCEEDED_JOB, output: SUCCEEDED.output }))
    await expect(work()).resolves.toBeUndefined()
    const call = { attempt: 1, fence: 1, idempotencyKey: job_id, source: 'webhook' }
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, call]])
    await settle()
    expect(outcome).toHaveBeenCalledWith(SUCCEEDED)
  })

  test.each<[string, Partial<StoredJob>, object]>([
    ['of a delivery with another output', { event: linked('https://evil.example.net/0') }, { source: 'webhook' }],
    [
      'of one that says it failed',
      { event: { job_id, status: 'failed', error: { code: 'X', message: 'x' } } },
      { source: 'webhook' },
    ],
    ['of a job whose delivery did not come', EXPECTED, { source: 'poll', context: 'mine' }],
    ['of a job whose time is over', { notedAt: 0 }, { source: 'webhook' }],
    ['of an expired token', { token: 'expired' }, { source: 'webhook' }],
  ])('%s, which is stored for other processes', async (_, job, call) => {
    const { work, onSucceeded, calls } = openWork(() => SUCCEEDED_JOB)
    const result = await work(job)
    const [[event, context] = []] = onSucceeded.mock.calls
    expect([event?.output, event?.job_id, calls]).toEqual([SUCCEEDED_JOB.output, job_id, [job_id]])
    expect(context).toMatchObject(call)
    if (result !== undefined) expect(result).toEqual({ event })
  })

  test('without asking again for what a poll found', async () => {
    const { work, calls, onSucceeded } = openWork(() => SUCCEEDED_JOB)
    await work({ source: 'poll', token: 'none' })
    expect([calls, onSucceeded.mock.calls[0]?.[0]]).toEqual([[], SUCCEEDED])
  })
})

test('a task that cannot be read is a dead letter', async () => {
  const { core } = openCore()
  const unreadable = { name: 'NonRetriableError', code: 'unreadable' }
  await expect(workJob(core, taskOf(job_id, { old: true }))).rejects.toMatchObject(unreadable)
})

describe('an event of an unknown status', () => {
  test('is handled once when the service says the same, and then the job waits on for its end', async () => {
    const [onUnknown, onSucceeded] = [vi.fn(), vi.fn()]
    let job: Job = { status: 'paused' }
    const { client } = jobsOf(() => job)
    const { inbox, deliver, clock } = openInbox({ ...signed, client, onUnknown, onSucceeded })
    const { url } = await inbox.prepare({ context: 'mine' })
    for (let n = 0; n < 3; n++) {
      await deliver({ job_id, status: 'paused' }, url)
      await clock.advance(MINUTE_MS)
    }
    const call = { idempotencyKey: `${job_id}?paused`, context: 'mine' }
    expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'paused' }, call]])
    job = SUCCEEDED_JOB
    await clock.advance(15 * MINUTE_MS)
    expect(onSucceeded.mock.calls).toMatchObject([[SAID, { idempotencyKey: job_id, context: 'mine', source: 'poll' }]])
    await inbox.drain()
  })

  test('gives way to the result of the job', async () => {
    const { work, onSucceeded, notices } = openWork(() => SUCCEEDED_JOB)
    await work({ event: UNKNOWN })
    expect(onSucceeded.mock.calls).toMatchObject([[SAID, { idempotencyKey: job_id }]])
    expect(notices.onWebhookMissed).toHaveLength(1)
  })

  test('of version 0.1.0, which had a task of its own, is news for the task of the job', async () => {
    const { core, engine } = openWork(() => SUCCEEDED_JOB)
    const task = { ...jobTask({ event: UNKNOWN }), id: `${job_id}?paused` }
    await expect(workJob(core, task)).resolves.toEqual({ isDropped: true })
    await expect(engine.task('results', job_id)).resolves.toMatchObject({ state: 'waiting', data: { event: UNKNOWN } })
  })

  test.each([
    ['fails for good', () => Promise.reject(new NonRetriableError('no', 'no'))],
    ['still runs', () => new Promise((resolve) => setTimeout(resolve))],
  ])('does not lose the result that comes while its handler %s', async (_, onUnknown) => {
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ onUnknown, onSucceeded })
    await deliver({ job_id, status: 'paused' })
    await deliver(SUCCEEDED)
    await vi.waitFor(() => expect(onSucceeded).toHaveBeenCalledOnce(), { timeout: 100_000 })
  })

  test('of a job that was cancelled is handled once, whether a delivery says so or a poll', async () => {
    const onUnknown = vi.fn()
    const { client } = jobsOf(() => ({ status: 'cancelled' }))
    const { inbox, deliver, clock } = openInbox({ ...signed, client, onUnknown })
    const { url, ref } = await inbox.prepare({ context: 'mine' })
    await inbox.expect(job_id, { ref, pollInMs: 0 })
    await clock.advance(1_000)
    await deliver({ job_id, status: 'cancelled' }, url)
    await clock.advance(1_000)
    const call = { idempotencyKey: job_id, context: 'mine' }
    expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'cancelled' }, call]])
    await inbox.drain()
  })
})

test('a result that a poll found is reported once, although its handler fails', async () => {
  const onSucceeded = vi.fn(() => Promise.reject(new Error('no')))
  const { client } = jobsOf(() => SUCCEEDED_JOB)
  const { inbox, clock, notices } = openInbox({ client, onSucceeded })
  await inbox.expect(job_id, { pollInMs: 0, context: 'mine' })
  await clock.advance(10_000)
  expect(onSucceeded.mock.calls.length).toBeGreaterThan(1)
  expect(notices.onWebhookMissed).toEqual([{ jobId: job_id, event: SAID, context: 'mine' }])
  await inbox.drain()
})

describe('a run of the handler', () => {
  const throwing = (error: unknown) => {
    const { work, ...harness } = openWork(undefined, { onSucceeded: () => Promise.reject(error), maxAttempts: 3 })
    return { ...harness, work: (run: Partial<Task> = {}) => work({}, run) }
  }
  const error = new Error('The disk is full.')

  test('does not start with a lock that has ended: another worker may have it', async () => {
    const { work, onSucceeded, notices } = openWork()
    const late = work({}, { markStarted: async () => false })
    await expect(late).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
    expect([onSucceeded.mock.calls, notices.onHandlerError]).toEqual([[], []])
  })

  test('is marked right before it, so that only processes that ran it count as died', async () => {
    const order: string[] = []
    const polled = () => {
      order.push('polled')
      return SUCCEEDED_JOB
    }
    const { work } = openWork(polled, { onSucceeded: () => void order.push('handled') })
    await work({}, { markStarted: async () => order.push('marked') > 0 })
    expect(order).toEqual(['polled', 'marked', 'handled'])
  })

  test('after a death counts as another attempt', async () => {
    const { work, onSucceeded } = openWork()
    await work({}, { attempt: 2, lost: 1, fence: 5 })
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ attempt: 3, fence: 5 })
  })

  test('that fails is repeated, and at `maxAttempts` the job is a dead letter, which `waitFor` gets', async () => {
    const { work, notices, outcome } = throwing(error)
    await expect(work({ attempt: 2 })).rejects.toBe(error)
    expect(notices.onHandlerError).toMatchObject([{ attempt: 2, error, isLast: false }])
    await expect(work({ attempt: 3 })).rejects.toBe(error)
    expect(notices.onDead).toMatchObject([{ attempt: 3, error }])
    expect(notices.onHandlerError).toHaveLength(2)
    await settle()
    expect(outcome).toHaveBeenCalledOnce()
  })

  test.each([
    ['', new NonRetriableError('gone', 'the order is gone')],
    [' of another copy', Object.assign(new Error('x'), { name: 'NonRetriableError', code: 'gone' })],
  ])('that throws a NonRetriableError%s makes a dead letter at once', async (_, thrown) => {
    const { work, notices } = throwing(thrown)
    await expect(work()).rejects.toBe(thrown)
    expect(notices.onHandlerError).toMatchObject([{ error: thrown, isLast: true }])
  })

  test.each([
    [5_000, 0],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1],
  ])('that asks to run again in %d ms has not failed, unless it would never run again', async (delayMs, failures) => {
    const thrown = new RetryAfterError(delayMs)
    const { work, notices } = throwing(thrown)
    await expect(work({ attempt: 3 })).rejects.toBe(thrown)
    expect(notices.onHandlerError).toHaveLength(failures)
  })

  test('whose lock is lost has not failed: another worker has the job', async () => {
    const lock = new AbortController()
    const { work, notices } = openWork(undefined, { onSucceeded: () => new Promise(() => {}) })
    const run = work({}, { signal: lock.signal })
    await settle()
    lock.abort(new Error('The lock is lost.'))
    await expect(run).rejects.toThrow('The lock is lost.')
    expect(notices.onHandlerError).toEqual([])
  })

  test('that a drain aborts has not failed, and runs again elsewhere', async () => {
    const { core, work, notices } = openWork(undefined, {
      onSucceeded: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const run = work()
    await settle()
    core.aborting.abort(new Error('drained'))
    await expect(run).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
    expect(notices.onHandlerError).toEqual([])
  })
})
