import { NonRetriableError, RetryAfterError, RunTimeout } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { openCore, resultTask } from '../../../test/test-core.ts'
import { SUCCEEDED } from '../../../test/test-inbox.ts'
import { handleResult } from './handle-result.ts'

/** A handler that runs until its signal aborts, and then throws the reason; and the task whose signal a test aborts. */
function openRun() {
  const signals: AbortSignal[] = []
  const harness = openCore({
    onSucceeded: (_, { signal }) => {
      signals.push(signal)
      return new Promise((_, reject) => {
        const stop = () => reject(signal.reason)
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop)
      })
    },
  })
  const lock = new AbortController()
  return { ...harness, signals, lock, task: resultTask({}, { signal: lock.signal }) }
}

describe('a handler that is cut short', () => {
  test('by `drain` runs again, and has not failed', async () => {
    const { core, task, clock, signals, notices, count } = openRun()
    const run = expect(handleResult(core, task)).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
    await clock.advance(0)
    const reason = new Error('the inbox drains')
    core.aborting.abort(reason)
    await run
    expect(signals[0]?.reason).toBe(reason)
    expect([notices.onHandlerError, count('failed'), count('completed')]).toEqual([[], 0, 0])
  })

  test('by a `drain` that came before it starts with a signal that is aborted', async () => {
    const { core, task, signals } = openRun()
    const reason = new Error('the inbox drains')
    core.aborting.abort(reason)
    await expect(handleResult(core, task)).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
    expect(signals[0]?.reason).toBe(reason)
  })

  test('by a lost lock has not failed: another worker has the job', async () => {
    const { core, task, lock, clock, signals, notices, count } = openRun()
    const reason = new Error('the lock was lost')
    const run = expect(handleResult(core, task)).rejects.toBe(reason)
    await clock.advance(0)
    lock.abort(reason)
    await run
    expect(signals[0]?.reason).toBe(reason)
    expect([notices.onHandlerError, count('failed')]).toEqual([[], 0])
  })

  test('by a lost lock is not waited for, whatever it does', async () => {
    const { core, clock } = openCore({ onSucceeded: () => new Promise(() => {}) })
    const lock = new AbortController()
    const reason = new Error('the lock was lost')
    const run = expect(handleResult(core, resultTask({}, { signal: lock.signal }))).rejects.toBe(reason)
    await clock.advance(0)
    lock.abort(reason)
    await run
  })

  test('by `maxRunMs` has failed, and the user is notified', async () => {
    const { core, task, lock, clock, notices, count } = openRun()
    const error = new RunTimeout(900_000)
    const run = expect(handleResult(core, task)).rejects.toBe(error)
    await clock.advance(0)
    lock.abort(error)
    await run
    expect(notices.onHandlerError).toEqual([{ event: SUCCEEDED, attempt: 1, error, isLast: false }])
    expect(count('failed')).toBe(1)
  })
})

test('the signal of a handler that has ended stays as it is, at a drain and when the lock ends', async () => {
  const signals: AbortSignal[] = []
  const { core } = openCore({ onSucceeded: (_, { signal }) => void signals.push(signal) })
  const lock = new AbortController()
  await handleResult(core, resultTask({}, { signal: lock.signal }))
  core.aborting.abort(new Error('the inbox drains'))
  lock.abort(new Error('the lock ended'))
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

describe('a handler that throws', () => {
  const throwing = (error: unknown) =>
    openCore({
      onSucceeded: () => {
        throw error
      },
      maxAttempts: 2,
    })

  test('that it is not ready runs again, and has not failed', async () => {
    const again = new RetryAfterError(5_000)
    const { core, notices, count } = throwing(again)
    await expect(handleResult(core, resultTask({}, { attempt: 2 }))).rejects.toBe(again)
    expect([notices.onHandlerError, notices.onDead, count('failed')]).toEqual([[], [], 0])
  })

  test('has failed for now before its last attempt', async () => {
    const error = new Error('no')
    const { core, notices, count } = throwing(error)
    await expect(handleResult(core, resultTask())).rejects.toBe(error)
    expect(notices.onHandlerError).toEqual([{ event: SUCCEEDED, attempt: 1, error, isLast: false }])
    expect([notices.onDead, count('failed'), count('dead')]).toEqual([[], 1, 0])
  })

  test.each([
    ['', new NonRetriableError('gone', 'the order is gone')],
    [' of another copy', Object.assign(new Error('x'), { name: 'NonRetriableError' })],
  ])('a NonRetriableError%s is a dead letter at once', async (_, error) => {
    const { core, notices, count } = throwing(error)
    await expect(handleResult(core, resultTask())).rejects.toBe(error)
    expect(notices.onHandlerError).toMatchObject([{ error, isLast: true }])
    expect(notices.onDead).toMatchObject([{ error, attempt: 1 }])
    expect([count('failed'), count('dead')]).toEqual([1, 1])
  })
})
