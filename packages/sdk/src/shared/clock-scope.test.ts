import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { DEADLINE, openScope } from './clock.ts'

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

describe('openScope', () => {
  test('aborts with DEADLINE when its time is over', async () => {
    const clock = createManualClock()
    const scope = openScope({ clock, deadlineMs: 1_000 })
    await clock.advance(999)
    expect(scope.signal.aborted).toBe(false)
    expect(scope.remainingMs()).toBe(1)
    await clock.advance(1)
    expect(scope.signal.reason).toBe(DEADLINE)
    await clock.advance(1)
    expect(scope.remainingMs()).toBe(0)
  })

  test('has no end and no timer without a deadline', () => {
    const clock = createManualClock()
    const scope = openScope({ clock })
    expect(scope).toMatchObject({ deadlineMs: Number.POSITIVE_INFINITY })
    expect(scope.remainingMs()).toBe(Number.POSITIVE_INFINITY)
    expect(clock.timerCount).toBe(0)
  })

  test('aborts with the reason of the caller', () => {
    const controller = new AbortController()
    const scope = openScope({ clock: createManualClock(), signal: controller.signal, deadlineMs: 1_000 })
    controller.abort('enough')
    expect(scope.signal.reason).toBe('enough')
  })

  test('keeps its first reason when the other end comes later', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const scope = openScope({ clock, signal: controller.signal, deadlineMs: 1_000 })
    await clock.advance(1_000)
    controller.abort('too late')
    expect(scope.signal.reason).toBe(DEADLINE)
  })

  test('leaves no timer and no listener after close', () => {
    const clock = createManualClock()
    const { signal } = new AbortController()
    const scope = openScope({ clock, signal, deadlineMs: 1_000 })
    expect([clock.timerCount, listeners(signal)]).toEqual([1, 1])
    scope.close()
    expect([clock.timerCount, listeners(signal)]).toEqual([0, 0])
  })
})
