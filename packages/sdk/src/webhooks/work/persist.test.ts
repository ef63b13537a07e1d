import { describe, expect, test } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { FAILED, openBusyInbox, SUCCEEDED } from '../../testing/test-inbox.ts'

describe('a store that fails when the work is done', () => {
  test.each(['before', 'after'] as const)('is told again until it knows: the handler ran once (%s)', async (kind) => {
    const { clock, deliver, store, finish, signals, count } = openBusyInbox()
    await deliver(SUCCEEDED)
    await settle()
    store.fail('complete', kind, 3)
    finish()
    await clock.advance(10_000)
    // An answer that was lost is asked for once more, and is the same.
    expect(store.calls.complete).toBe(4)
    expect([count('completed'), signals.length]).toEqual([1, 1])
    expect(clock.timerCount).toBe(0)
  })

  test('is given 10 s for each try', async () => {
    const { clock, deliver, store, finish, count } = openBusyInbox()
    await deliver(SUCCEEDED)
    await settle()
    store.fail('complete', 'hang')
    finish()
    await clock.advance(10_249)
    expect(count('completed')).toBe(0)
    await clock.advance(1)
    expect(count('completed')).toBe(1)
  })

  test('has the job run again after its lease when it stays down that long', async () => {
    const { clock, deliver, store, finish, signals, told, count } = openBusyInbox()
    await deliver(SUCCEEDED)
    await settle()
    store.breakDown('before')
    finish()
    await clock.advance(120_000)
    expect(told.onHandlerError).toMatchObject([{ error: { message: 'complete failed before it happened' } }])
    store.repair()
    await clock.advance(300_000)
    expect([signals.length, count('reclaimed'), count('completed')]).toEqual([2, 1, 1])
    expect(clock.timerCount).toBe(0)
  })

  test('is told of a failed run again, and the job is run again', async () => {
    const { clock, deliver, store, told, count } = openBusyInbox({
      onSucceeded: (_, { attempt }) => {
        if (attempt === 1) throw new Error('no')
      },
    })
    await deliver(FAILED)
    await settle()
    store.fail('release', 'before', 2)
    await deliver(SUCCEEDED)
    await clock.advance(250 + 500 - 1)
    expect(told.onHandlerError).toEqual([])
    await clock.advance(1)
    expect(told.onHandlerError).toMatchObject([{ attempt: 1, retryInMs: 1_000 }])
    await clock.advance(999)
    expect(count('completed')).toBe(1)
    await clock.advance(1)
    expect(count('completed')).toBe(2)
  })
})
