import { describe, expect, test, vi } from 'vitest'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { createReplica } from '../../testing/replica.ts'
import { jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import type { InboxOptions } from '../inbox-options.ts'
import { createMemoryStore } from '../store/memory-store.ts'

const { job_id } = SUCCEEDED

/** A process that will die, and another one that was started and goes on. */
async function openTwo(first: InboxOptions = {}) {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
  const replica = createReplica(clock, store)
  const dying = openInbox({
    onSucceeded: () => {},
    ...first,
    clock: { ...clock, ...replica.clock },
    store: replica.store,
  })
  const onSucceeded = vi.fn()
  const other = openInbox({ clock, store, client, trust: 'payload', onSucceeded, random: () => 0.5 })
  // The test of the store is over before anything dies.
  await dying.inbox.sweep()
  await other.inbox.expect(job_id)
  other.inbox.start()
  await settle()
  return { clock, store, replica, dying, other, onSucceeded, calls }
}

describe('a process that dies', () => {
  test('① before a delivery is stored: the job is found by a look', async () => {
    const { clock, replica, dying, onSucceeded, other } = await openTwo()
    replica.dieAt('claim', 'before')
    void dying.deliver(SUCCEEDED)
    await clock.advance(80_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { source: 'poll', attempt: 1 }]])
    expect(other.count('reconciled')).toBe(1)
  })

  test('② after it, before the answer: a duplicate is busy, and the sweep handles what was stored', async () => {
    const { clock, replica, dying, onSucceeded, other, calls } = await openTwo()
    replica.dieAt('claim', 'after')
    void dying.deliver(SUCCEEDED)
    await settle()
    await expect(other.deliver(SUCCEEDED)).resolves.toBe(202)
    await clock.advance(59_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    await clock.advance(16_000)
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { source: 'webhook', attempt: 2, fence: 2 }]])
    expect([other.count('reclaimed'), other.count('busy'), calls.length]).toEqual([1, 1, 0])
  })

  test('③ while its handler runs: it is run again', async () => {
    const { clock, replica, dying, onSucceeded } = await openTwo({ onSucceeded: () => new Promise(() => {}) })
    await dying.deliver(SUCCEEDED)
    await clock.advance(50_000)
    replica.die()
    // The last extension was at 40 s.
    await clock.advance(49_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    await clock.advance(16_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('④ after the effects, before they are marked as done: it is run again, and can tell so', async () => {
    const effects: string[] = []
    const { clock, replica, dying, onSucceeded } = await openTwo({
      onSucceeded: (_, { idempotencyKey }) => void effects.push(idempotencyKey),
    })
    onSucceeded.mockImplementation((_, { idempotencyKey }) => void effects.push(idempotencyKey))
    replica.dieAt('complete', 'before')
    await dying.deliver(SUCCEEDED)
    await clock.advance(80_000)
    expect(effects).toEqual([job_id, job_id])
  })

  test('⑤ after they were marked as done: nothing is run again', async () => {
    const { clock, replica, dying, onSucceeded, store, other } = await openTwo()
    replica.dieAt('complete', 'after')
    await dying.deliver(SUCCEEDED)
    await clock.advance(3_600_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done' })
    await expect(other.deliver(SUCCEEDED)).resolves.toBe(200)
  })

  test.each(['before', 'after'] as const)('⑥ while a failure is noted (%s): it is run again', async (moment) => {
    const { clock, replica, dying, onSucceeded } = await openTwo({ onSucceeded: () => Promise.reject(new Error('no')) })
    replica.dieAt('release', moment)
    await dying.deliver(SUCCEEDED)
    await clock.advance(80_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('⑦ or only stands still: it learns that it was too slow before it goes on', async () => {
    const aborted: boolean[] = []
    const { clock, replica, dying, onSucceeded } = await openTwo({
      onSucceeded: async (_, { signal, complete }) => {
        await new Promise<void>((resolve) => replica.clock.setTimeout(resolve, 100_000))
        aborted.push(signal.aborted)
        await complete()
      },
    })
    await dying.deliver(SUCCEEDED)
    await clock.advance(10_000)
    replica.pause()
    await clock.advance(100_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    replica.resume()
    await settle()
    expect(aborted).toEqual([true])
    expect(dying.told.onHandlerError).toMatchObject([{ error: { name: 'LeaseLostError' } }])
    expect([dying.count('lost_lease'), dying.count('completed')]).toEqual([1, 0])
  })
})
