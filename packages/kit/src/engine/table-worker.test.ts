import { expect, test, vi } from 'vitest'
import { createAloneLock } from './table-worker.ts'

test('a suspect starts once all other tasks have ended, and no task is locked until it has', async () => {
  const onFree = vi.fn()
  const lock = createAloneLock(onFree)
  lock.start()
  const alone = lock.startAlone()
  expect(lock.isFree()).toBe(false)
  lock.end()
  await alone
  expect([lock.isFree(), onFree.mock.calls.length]).toEqual([false, 0])
  lock.end()
  expect([lock.isFree(), onFree.mock.calls.length]).toEqual([true, 1])
})
