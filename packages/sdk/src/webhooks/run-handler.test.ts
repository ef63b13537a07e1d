import { NonRetriableError, RetryAfterError, type Task } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { jobTask, openCore } from '../../test/test-core.ts'
import { jobsOf, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import type { InboxOptions } from './inbox-options.ts'
import { workJob } from './work-job.ts'

const { job_id } = SUCCEEDED

/** Works the task of a delivery that the service confirms. */
function openWork(options: InboxOptions = {}) {
  const { client } = jobsOf(() => SUCCEEDED_JOB)
  const onSucceeded = vi.fn()
  const harness = openCore({ client, onSucceeded, ...options })
  const outcome = vi.fn()
  harness.core.subscribers.wait(job_id).event.then(outcome, outcome)
  const work = (run: Partial<Task> = {}) => workJob(harness.core, jobTask({}, run))
  return { ...harness, onSucceeded, outcome, work }
}

describe('a run of the handler', () => {
  const throwing = (error: unknown, options: InboxOptions = {}) =>
    openWork({ onSucceeded: () => Promise.reject(error), maxAttempts: 3, ...options })
  const error = new Error('The disk is full.')

  test('does not start with a lock that has ended: another worker may have it', async () => {
    const { work, onSucceeded, notices } = openWork()
    const late = work({ markStarted: async () => false })
    await expect(late).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
    expect([onSucceeded.mock.calls, notices.onHandlerError]).toEqual([[], []])
  })

  test('is marked right before it, so that only processes that ran it count as died', async () => {
    const order: string[] = []
    const { client } = jobsOf(() => {
      order.push('polled')
      return SUCCEEDED_JOB
    })
    const { work } = openWork({ client, onSucceeded: () => void order.push('handled') })
    await work({ markStarted: async () => order.push('marked') > 0 })
    expect(order).toEqual(['polled', 'marked', 'handled'])
  })

  test('after a death counts as another attempt, and as retaken', async () => {
    const { work, onSucceeded, count } = openWork()
    await work({ attempt: 2, lost: 1, fence: 5 })
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ attempt: 3, fence: 5 })
    expect(count('retaken')).toBe(1)
  })

  test('that fails is repeated, and at `maxAttempts` the job is a dead letter, which `waitFor` gets', async () => {
    const { work, notices, outcome, count } = throwing(error)
    await expect(work({ attempt: 2 })).rejects.toBe(error)
    expect(notices.onHandlerError).toMatchObject([{ attempt: 2, error, isLast: false }])
    await expect(work({ attempt: 3 })).rejects.toBe(error)
    expect(notices.onDead).toMatchObject([{ attempt: 3, error }])
    expect([count('failed'), count('dead')]).toEqual([2, 1])
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

  test('that throws a RetryAfterError has not failed', async () => {
    const thrown = new RetryAfterError(5_000)
    const { work, notices, count } = throwing(thrown)
    await expect(work({ attempt: 3 })).rejects.toBe(thrown)
    expect([notices.onHandlerError, count('failed')]).toEqual([[], 0])
  })

  test('whose lock is lost has not failed: another worker has the job', async () => {
    const { signal, abort } = (() => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: () => controller.abort(new Error('The lock is lost.')) }
    })()
    const { work, notices } = openWork({ onSucceeded: () => new Promise(() => {}) })
    const run = work({ signal })
    await settle()
    abort()
    await expect(run).rejects.toThrow('The lock is lost.')
    expect(notices.onHandlerError).toEqual([])
  })

  test('that a drain aborts has not failed, and runs again elsewhere', async () => {
    const { core, work, notices } = openWork({
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
