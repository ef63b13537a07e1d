import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import {
  gate,
  jobsOf,
  openBusyInbox as openBusy,
  openInbox,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../testing/test-inbox.ts'
import type { InboxOptions } from '../inbox-options.ts'
import { createMemoryStore } from '../store/memory-store.ts'

const { job_id } = SUCCEEDED

describe('the lease of a handler that runs', () => {
  test('is extended at every third of its time, so that nobody else gets the job', async () => {
    const { clock, deliver, store, signals, finish, count } = openBusy()
    await deliver(SUCCEEDED)
    await clock.advance(20_000)
    expect(store.calls.extend).toBe(1)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'leased', dueInMs: 60_000 })
    await clock.advance(600_000)
    expect(store.calls.extend).toBe(31)
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    finish()
    await settle()
    expect([count('completed'), count('lost_lease')]).toEqual([1, 0])
    expect(clock.timerCount).toBe(0)
  })

  test('aborts the signal at 90 % of its time when it cannot be extended', async () => {
    const { clock, deliver, store, signals, count } = openBusy()
    await deliver(SUCCEEDED)
    await settle()
    store.breakDown('before')
    await clock.advance(53_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(String(signals[0]?.reason)).toContain('LeaseLostError')
    expect(count('lost_lease')).toBe(1)
  })

  test('goes on when one extension failed and the next one did not', async () => {
    const { clock, deliver, store, signals, finish, count } = openBusy()
    await deliver(SUCCEEDED)
    store.fail('extend', 'before', 2)
    await clock.advance(53_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]?.aborted).toBe(true)
    store.repair()
    finish()
    await settle()
    // Nobody took it in the meantime: what was done counts.
    expect(count('completed')).toBe(1)
  })

  test('survives a single failed extension', async () => {
    const { clock, deliver, store, signals, finish } = openBusy()
    await deliver(SUCCEEDED)
    store.fail('extend', 'before')
    await clock.advance(200_000)
    expect(signals[0]?.aborted).toBe(false)
    finish()
  })

  test('counts from before an extension was asked for, not from its answer', async () => {
    const { clock, deliver, store, signals } = openBusy()
    await deliver(SUCCEEDED)
    await settle()
    store.fail('extend', 'late')
    await clock.advance(20_000)
    await clock.advance(5_000)
    store.answerLate()
    store.fail('extend', 'before', 99)
    // Asked for at 20 s: 90 % of 60 s later, whenever the answer came.
    await clock.advance(48_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]?.aborted).toBe(true)
  })

  test('aborts the signal at once when the store says that another worker has it', async () => {
    const { clock, deliver, store, signals, told, finish, count } = openBusy()
    await deliver(SUCCEEDED)
    await settle()
    // By a clock that is wrong: the lease is good for 60 s here.
    vi.spyOn(store, 'extend').mockResolvedValue(false)
    await clock.advance(19_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(String(signals[0]?.reason)).toContain('another worker has it')
    finish()
    await settle()
    expect(count('lost_lease')).toBe(1)
    expect(told.onDead).toEqual([])
  })

  test('ends with the handler: no timer is left', async () => {
    const { clock, deliver, finish } = openBusy()
    await deliver(SUCCEEDED)
    await clock.advance(45_000)
    finish()
    await settle()
    expect(clock.timerCount).toBe(0)
  })
})

describe('maxRunMs', () => {
  test('aborts the signal of a handler that takes too long, and lets the lease run out', async () => {
    const { clock, deliver, store, signals, told, finish } = openBusy({ maxRunMs: 100_000 })
    await deliver(SUCCEEDED)
    await clock.advance(99_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(String(signals[0]?.reason)).toContain('took longer than maxRunMs (100000 ms)')
    expect(store.calls.extend).toBe(4)
    await clock.advance(1_000_000)
    expect(store.calls.extend).toBe(4)
    await expect(store.due(1, 'work')).resolves.toMatchObject([{ key: job_id, reason: 'lease_expired' }])
    finish()
    await settle()
    expect(told.onHandlerError).toEqual([])
  })

  test('a handler that minds its signal is run again', async () => {
    const attempts: number[] = []
    const { clock, deliver } = openInbox({
      maxRunMs: 100_000,
      onSucceeded: (_, { signal, attempt }) => {
        attempts.push(attempt)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    await deliver(SUCCEEDED)
    await clock.advance(100_000)
    await clock.advance(1_000)
    expect(attempts).toEqual([1, 2])
  })
})

describe('a worker that stalled', () => {
  test('learns that it is late: what it did does not count, and is told', async () => {
    const clock = createManualClock()
    const store = createMemoryStore({ clock })
    const { opened, open: finish } = gate()
    const first = openInbox({ clock, store, onSucceeded: () => opened, maxRunMs: 10_000 })
    const second = openInbox({ clock, store })
    await first.deliver(SUCCEEDED)
    await clock.advance(70_000)
    await second.inbox.sweep()
    expect([second.count('reclaimed'), second.count('completed')]).toEqual([1, 1])
    finish()
    await settle()
    expect(first.count('completed')).toBe(0)
    expect(String(first.told.onHandlerError[0]?.error)).toContain('LeaseLostError: The job')
  })

  test('`complete` throws, so that a transaction is rolled back', async () => {
    const clock = createManualClock()
    const store = createMemoryStore({ clock })
    const { opened, open: finish } = gate()
    const first = openInbox({
      clock,
      store,
      maxRunMs: 10_000,
      onSucceeded: async (_, { complete }) => {
        await opened
        await complete()
      },
    })
    const second = openInbox({ clock, store })
    await first.deliver(SUCCEEDED)
    await clock.advance(70_000)
    await second.inbox.sweep()
    finish()
    await settle()
    expect(first.told.onHandlerError).toMatchObject([
      { error: { name: 'LeaseLostError', message: expect.stringContaining('undo') }, retryInMs: undefined },
    ])
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done', fence: 2 })
  })

  test('whose lease was lost while the service was asked about the job does not begin its handler', async () => {
    const clock = createManualClock()
    const store = createFaultyStore(createMemoryStore({ clock }))
    const { opened, open: answer } = gate()
    const { client } = jobsOf(async () => {
      await opened
      return SUCCEEDED_JOB
    })
    const attempts: number[] = []
    const onSucceeded: InboxOptions['onSucceeded'] = (_, { attempt }) => void attempts.push(attempt)
    const { deliver, count } = openInbox({ clock, store, client, onSucceeded })
    await deliver(SUCCEEDED)
    await settle()
    store.fail('extend', 'before', 9)
    await clock.advance(54_000)
    answer()
    await settle()
    expect([attempts, count('lost_lease')]).toEqual([[], 1])
    await clock.advance(6_000)
    expect(attempts).toEqual([2])
  })

  test('a claim whose answer came after 90 % of the lease is not begun; the job is claimed again', async () => {
    const clock = createManualClock()
    const store = createFaultyStore(createMemoryStore({ clock }))
    const onSucceeded = vi.fn()
    const { deliver, count } = openInbox({ clock, store, onSucceeded, leaseMs: 1_000 })
    await deliver({ ...SUCCEEDED, job_id: 'job_0' })
    await settle()
    onSucceeded.mockClear()
    store.fail('claim', 'late')
    const answered = deliver(SUCCEEDED)
    await clock.advance(950)
    store.answerLate()
    await expect(answered).resolves.toBe(202)
    await settle()
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(count('lost_lease')).toBe(1)
    await clock.advance(50)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })
})
