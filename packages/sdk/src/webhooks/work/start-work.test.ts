import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, openInbox } from '../../testing/test-inbox.ts'
import type { ClaimResult } from '../store/inbox-store.ts'
import { createMemoryStore } from '../store/memory-store.ts'

test('a store that is down when a handler is to run again is asked less and less, and at least every 5 minutes', async () => {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  const onFailed = vi.fn().mockRejectedValueOnce(new Error('no'))
  const { deliver } = openInbox({ clock, store, onFailed })
  await deliver(FAILED)
  await settle()
  const startedAt = clock.now()
  store.breakDown('before')
  const times: number[] = []
  while (times.length < 12) {
    const before = store.calls.claim
    await clock.advance(1_000)
    if (store.calls.claim !== before) times.push((clock.now() - startedAt) / 1_000)
  }
  expect(times).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 812, 1_112])
  store.repair()
  await clock.advance(300_000)
  expect(onFailed).toHaveBeenCalledTimes(2)
})

describe('a handler that is to run again in a second', () => {
  /** A handler that failed, and a store that then has another claim of its job. */
  async function claimAgain(...results: readonly ClaimResult[]) {
    const clock = createManualClock()
    const store = createMemoryStore({ clock })
    const onFailed = vi.fn().mockRejectedValueOnce(new Error('no'))
    const bench = openInbox({ clock, store, onFailed })
    await bench.deliver(FAILED)
    await settle()
    const claim = vi.spyOn(store, 'claim')
    for (const result of results) claim.mockResolvedValueOnce(result)
    await clock.advance(1_000)
    return { ...bench, clock, onFailed, claim }
  }

  test.each<ClaimResult>([
    { kind: 'busy', msLeft: 60_000, samePayload: true },
    { kind: 'done', samePayload: true },
    { kind: 'dead', samePayload: true },
  ])('leaves the job to the worker that has it or had it: $kind', async (result) => {
    const { clock, onFailed, claim } = await claimAgain(result)
    await clock.advance(3_600_000)
    expect(claim).toHaveBeenCalledOnce()
    expect(onFailed).toHaveBeenCalledOnce()
    expect(clock.timerCount).toBe(0)
  })

  test.each([
    [500, 500],
    [3, 10],
  ])('waits as long as a store says whose clock is %i ms behind, and 10 ms at least', async (msLeft, waitMs) => {
    const { clock, onFailed } = await claimAgain({ kind: 'waiting', msLeft, samePayload: true })
    await clock.advance(waitMs - 1)
    expect(onFailed).toHaveBeenCalledOnce()
    await clock.advance(1)
    expect(onFailed).toHaveBeenCalledTimes(2)
  })
})
