import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { gate, openInbox, SUCCEEDED } from '../../testing/test-inbox.ts'
import { createMemoryStore } from '../store/memory-store.ts'

/** Records that a process took and left when it died. */
async function leaveBehind(store: ReturnType<typeof createMemoryStore>, jobIds: readonly string[]): Promise<void> {
  for (const job_id of jobIds) {
    const payload = { source: 'webhook', token: 'none', event: { ...SUCCEEDED, job_id } }
    await store.claim(job_id, { owner: 'dead', leaseMs: 60_000, fingerprint: 'x', payload })
  }
}

/** A started inbox on a store that fails when told to, with a job that a process left; and what is warned of. */
async function openOnFaultyStore() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  const onSucceeded = vi.fn()
  const { inbox } = openInbox({ clock, store, onSucceeded })
  inbox.start()
  await leaveBehind(store, ['job_1'])
  await settle()
  return { inbox, clock, store, onSucceeded, warn }
}

const jobs = (count: number) => Array.from({ length: count }, (_, n) => `job_${n}`)

describe('sweep', () => {
  test('runs what a process left that died, once its lease has ended', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, store, count } = openInbox({ onSucceeded })
    await leaveBehind(store, ['job_1'])
    await clock.advance(59_999)
    await expect(inbox.sweep()).resolves.toEqual({ found: 0, claimed: 0, completed: 0 })
    await clock.advance(1)
    await expect(inbox.sweep()).resolves.toEqual({ found: 1, claimed: 1, completed: 1 })
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id: 'job_1' }, { attempt: 2, fence: 2, source: 'webhook' }]])
    expect(count('reclaimed')).toBe(1)
  })

  test('takes everything that is due, 50 at a time, and waits for the end of it', async () => {
    let running = 0
    let most = 0
    const { inbox, clock, store } = openInbox({
      onSucceeded: async () => {
        running++
        most = Math.max(most, running)
        await settle()
        running--
      },
    })
    await leaveBehind(store, jobs(120))
    await clock.advance(60_000)
    await expect(inbox.sweep()).resolves.toEqual({ found: 120, claimed: 120, completed: 120 })
    expect(most).toBe(50)
    expect(running).toBe(0)
  })

  test('leaves to another process what that was faster to take', async () => {
    const clock = createManualClock()
    const onSucceeded = vi.fn()
    const first = openInbox({ clock, onSucceeded })
    const second = openInbox({ clock, onSucceeded, store: first.store })
    await leaveBehind(first.store, jobs(30))
    await clock.advance(60_000)
    const reports = await Promise.all([first.inbox.sweep(), second.inbox.sweep()])
    expect(reports[0].completed + reports[1].completed).toBe(30)
    expect(onSucceeded).toHaveBeenCalledTimes(30)
  })

  test('claims nothing more once the inbox is drained', async () => {
    const clock = createManualClock()
    const store = createFaultyStore(createMemoryStore({ clock }))
    const { inbox, deliver } = openInbox({ clock, store })
    await deliver({ ...SUCCEEDED, job_id: 'job_before' })
    await leaveBehind(store, jobs(60))
    await clock.advance(60_000)
    store.fail('claim', 'late')
    const before = store.calls.claim ?? 0
    const swept = inbox.sweep()
    await settle()
    const drained = inbox.drain()
    store.answerLate()
    await expect(swept).resolves.toMatchObject({ found: 50, claimed: 1 })
    await drained
    expect(store.calls.claim).toBe(before + 1)
    expect(store.calls.due).toBe(1)
  })

  test('buries a delivery whose handler ended its process 8 times, without running it', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, store, told } = openInbox({ onSucceeded })
    for (let n = 0; n < 8; n++) {
      await leaveBehind(store, ['job_1'])
      await clock.advance(60_000)
    }
    await inbox.sweep()
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(told.onDead).toMatchObject([
      { jobId: 'job_1', attempt: 9, error: { message: expect.stringContaining('8 runs') } },
    ])
  })
})

describe('an inbox that was started', () => {
  test('finds what is due within 15 s ± 20 %, on each process', async () => {
    for (const [random, dueInMs] of [
      [0, 12_000],
      [0.999_999, 18_000],
    ] as const) {
      const onSucceeded = vi.fn()
      const { inbox, clock, store } = openInbox({ onSucceeded, random: () => random })
      inbox.start()
      await settle()
      await leaveBehind(store, ['job_1'])
      // Due a moment after the fourth or the third tick.
      await clock.advance(60_000)
      const left = dueInMs - (60_000 % dueInMs || dueInMs)
      if (left > 0) await clock.advance(left - 1)
      await clock.advance(2)
      expect(onSucceeded).toHaveBeenCalledOnce()
      await inbox.drain()
      expect(clock.timerCount).toBe(0)
    }
  })

  test('takes many in a row without a pause of 15 s, and 50 at once at most', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { inbox, clock, store } = openInbox({ onSucceeded })
    await leaveBehind(store, jobs(120))
    await clock.advance(60_000)
    inbox.start()
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledTimes(50)
    finish()
    await clock.advance(3_000)
    expect(onSucceeded).toHaveBeenCalledTimes(120)
    await inbox.drain()
  })

  test('goes on when the store fails, and says so once for an outage', async () => {
    const { inbox, clock, store, onSucceeded, warn } = await openOnFaultyStore()
    store.breakDown('before')
    await clock.advance(600_000)
    expect(warn.mock.calls.map(([line]) => line).sort()).toEqual([
      'modelrun: the inbox could not reconcile; it goes on trying:',
      'modelrun: the inbox could not sweep; it goes on trying:',
    ])
    store.repair()
    await clock.advance(20_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
    warn.mockRestore()
  })

  test('does not hang with a store that does not answer', async () => {
    const { inbox, clock, store, onSucceeded, warn } = await openOnFaultyStore()
    store.fail('due', 'hang', 2)
    await clock.advance(100_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
    warn.mockRestore()
  })

  test('keeps the process alive with no timer', async () => {
    const clock = createManualClock()
    const handles: { unref: ReturnType<typeof vi.fn> }[] = []
    const unrefClock = {
      ...clock,
      setTimeout: (callback: () => void, delayMs: number) => {
        const handle = Object.assign(clock.setTimeout(callback, delayMs) as object, { unref: vi.fn() })
        handles.push(handle)
        return handle
      },
    }
    const { inbox } = openInbox({ clock: unrefClock, store: createMemoryStore({ clock }) })
    inbox.start()
    inbox.start()
    await settle()
    const waiting = handles.filter(({ unref }) => unref.mock.calls.length > 0)
    expect(waiting).toHaveLength(2)
    await inbox.drain()
  })
})

test('a lease that ran out is not hidden by jobs that are overdue', async () => {
  const onSucceeded = vi.fn()
  const { inbox, clock, store } = openInbox({ onSucceeded })
  for (const jobId of jobs(200)) await inbox.expect(`expected_${jobId}`, { pollInMs: 0 })
  await leaveBehind(store, ['job_1'])
  await clock.advance(60_000)
  await inbox.sweep()
  expect(onSucceeded).toHaveBeenCalledOnce()
})
