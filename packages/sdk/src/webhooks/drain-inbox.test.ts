import { describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { FAILED, gate, jobsOf, openInbox, SUCCEEDED } from '../testing/test-inbox.ts'

const { job_id } = SUCCEEDED

describe('drain', () => {
  test('resolves at once when nothing runs, and when it is called again', async () => {
    const { inbox, clock } = openInbox()
    await expect(inbox.drain()).resolves.toBeUndefined()
    await expect(inbox.drain()).resolves.toBeUndefined()
    expect(clock.timerCount).toBe(0)
  })

  test('waits for handlers; deliveries are answered with 503 meanwhile', async () => {
    const { opened, open: finish } = gate()
    let isDone = false
    const { inbox, deliver, clock } = openInbox({
      onSucceeded: async () => {
        await opened
        isDone = true
      },
    })
    await deliver(SUCCEEDED)
    const drained = vi.fn()
    void inbox.drain().then(drained)
    await expect(deliver(FAILED)).resolves.toBe(503)
    await clock.advance(60_000)
    expect(drained).not.toHaveBeenCalled()
    finish()
    await settle()
    expect(drained).toHaveBeenCalled()
    expect(isDone).toBe(true)
    expect(clock.timerCount).toBe(0)
  })

  test('leaves what waits to run again to the store, and no timer', async () => {
    const onFailed = vi.fn(() => {
      throw new Error('no')
    })
    const { inbox, clock, deliver, store } = openInbox({ onFailed })
    inbox.start()
    await deliver(FAILED)
    await settle()
    await inbox.drain()
    expect(clock.timerCount).toBe(0)
    await expect(store.get(FAILED.job_id)).resolves.toMatchObject({ state: 'retry', attempt: 1 })
    await clock.advance(3_600_000)
    expect(onFailed).toHaveBeenCalledOnce()
  })

  test('aborts the signals of handlers after `timeoutMs`, and another process may take their jobs at once', async () => {
    const { inbox, clock, deliver, store } = openInbox({
      onSucceeded: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await deliver(SUCCEEDED)
    await settle()
    const startedAt = clock.now()
    await clock.run(inbox.drain({ timeoutMs: 5_000 }))
    expect(clock.now() - startedAt).toBe(5_000)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'retry', dueInMs: 0 })
    expect(clock.timerCount).toBe(0)
  })

  test('makes no dead letter of the last attempt that it aborts: the handler did not fail', async () => {
    const { inbox, clock, deliver, store, told } = openInbox({
      maxAttempts: 1,
      onSucceeded: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await deliver(SUCCEEDED)
    await settle()
    await clock.run(inbox.drain({ timeoutMs: 5_000 }))
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'retry', dueInMs: 0 })
    expect(told.onDead).toEqual([])
  })

  test('leaves a handler behind that does not mind its signal, 1 s later, and no timer', async () => {
    const { inbox, clock, deliver } = openInbox({ onSucceeded: () => new Promise(() => {}) })
    await deliver(SUCCEEDED)
    await settle()
    const startedAt = clock.now()
    await clock.run(inbox.drain({ timeoutMs: 5_000 }))
    expect(clock.now() - startedAt).toBe(6_000)
    expect(clock.timerCount).toBe(0)
  })

  test('ends looks at jobs that run, so that others can go on with them', async () => {
    const { client } = jobsOf(() => ({ status: 'processing' }))
    const { inbox, clock, deliver, store } = openInbox({ client })
    await deliver(SUCCEEDED)
    await settle()
    await inbox.drain()
    expect(clock.timerCount).toBe(0)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'retry', attempt: 0, dueInMs: 0 })
  })

  test('makes `start` throw', async () => {
    const { inbox } = openInbox()
    await inbox.drain()
    expect(() => inbox.start()).toThrow('was drained')
  })
})
