import { expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, openInbox } from '../../testing/test-inbox.ts'
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
