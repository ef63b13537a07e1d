import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  CONFIRMING,
  FAILED,
  gate,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { AbortedError } from '../client/errors/transport-errors.ts'
import type { DeliveryContext } from './inbox-options.ts'

const { job_id } = SUCCEEDED

const untilAborted = (_: unknown, { signal }: DeliveryContext) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('drain', () => {
  test('waits for handlers; deliveries get 503 meanwhile', async () => {
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
  })

  test('ends what would wait for ever: the inbox is in memory, and works no more', async () => {
    const { inbox } = openInbox({ client: CONFIRMING, secret: SECRET, publicUrl: PUBLIC_URL })
    await inbox.drain()
    await expect(inbox.waitFor(job_id)).rejects.toThrow(AbortedError)
    for (const call of [inbox.prepare(), inbox.expect(job_id)]) await expect(call).rejects.toThrow('was drained')
  })

  test('leaves what waits to run again to the engine: another inbox runs it', async () => {
    const shared = openEngine()
    const onFailed = vi.fn(() => {
      throw new Error('no')
    })
    const { inbox, clock, deliver } = openInbox({ ...shared, onFailed })
    inbox.start()
    await deliver(FAILED)
    await settle()
    await inbox.drain()
    await clock.advance(3_600_000)
    expect(onFailed).toHaveBeenCalledOnce()
    const handled = vi.fn()
    openInbox({ ...shared, onFailed: handled }).inbox.start()
    await settle()
    expect(handled.mock.calls).toMatchObject([[FAILED, { attempt: 2 }]])
  })

  test('aborts the signals of handlers after `timeoutMs`; another inbox runs them with the same attempt', async () => {
    const shared = openEngine()
    const { inbox, clock, deliver, notices } = openInbox({ ...shared, onSucceeded: untilAborted, maxAttempts: 1 })
    await deliver(SUCCEEDED)
    await settle()
    const startedAt = clock.now()
    await clock.run(inbox.drain({ timeoutMs: 5_000 }))
    expect(clock.now() - startedAt).toBe(5_000)
    // The handler did not fail.
    expect([notices.onDead, notices.onHandlerError]).toEqual([[], []])
    const onSucceeded = vi.fn()
    openInbox({ ...shared, onSucceeded }).inbox.start()
    await settle()
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { attempt: 1 }]])
  })

  test('leaves a handler behind that ignores its signal, 1 s later', async () => {
    const { inbox, clock, deliver } = openInbox({ onSucceeded: () => new Promise(() => {}) })
    await deliver(SUCCEEDED)
    await settle()
    const startedAt = clock.now()
    await clock.run(inbox.drain({ timeoutMs: 5_000 }))
    expect(clock.now() - startedAt).toBe(6_000)
  })

  test('ends polls of jobs that run: another inbox continues them', async () => {
    const shared = openEngine()
    const running = jobsOf(() => ({ status: 'processing' }))
    const { inbox, clock, deliver } = openInbox({ ...shared, client: running.client })
    await inbox.expect(job_id)
    await deliver(SUCCEEDED)
    await settle()
    await inbox.drain()
    const polls = running.calls.length
    const onSucceeded = vi.fn()
    const other = openInbox({ ...shared, client: jobsOf(() => SUCCEEDED_JOB).client, onSucceeded })
    other.inbox.start()
    await clock.advance(10_000)
    expect(running.calls).toHaveLength(polls)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test.each([0, 200_000])('leaves no timer of an inbox that ran %i ms, which cannot be started again', async (ms) => {
    const { inbox, clock } = openInbox()
    if (ms > 0) inbox.start()
    await clock.advance(ms)
    for (let calls = 0; calls < 2; calls++) await inbox.drain()
    inbox.start()
    expect(clock.timerCount).toBe(0)
  })

  test('waits for a delivery that the engine does not take, until `timeoutMs` when it is given', async () => {
    const { engine, clock } = openEngine()
    const { inbox, deliver } = openInbox({ engine, clock, client: CONFIRMING })
    engine.breakDown('hang')
    const response = deliver(SUCCEEDED)
    await clock.advance(2_000)
    await expect(response).resolves.toBe(503)
    const startedAt = clock.now()
    await clock.run(inbox.drain({ timeoutMs: 3_000 }))
    expect(clock.now() - startedAt).toBeLessThanOrEqual(4_000)
  })
})
