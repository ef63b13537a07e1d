import { ConfigurationError } from '@modelrun/kit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Activity } from './activity.ts'
import { createClock, createManualClock } from './create-clock.ts'
import { nextTurn } from './real-time.ts'

const START = Date.UTC(2030, 4, 1)

function manualClock() {
  const activity = new Activity()
  return { activity, clock: createManualClock(START, activity) }
}

describe('manual clock', () => {
  it('can be set, and a pending sleep still takes as long as before', async () => {
    const { clock } = manualClock()
    const firedAt: number[] = []
    clock.setTimeout(() => firedAt.push(clock.now()), 1_000)
    clock.forClients.setTimeout(() => firedAt.push(clock.now()), 2_000)
    await clock.advance(400)
    const earlier = START - 86_400_000
    clock.setTime(earlier)
    expect(clock.forClients.now()).toBe(earlier)
    await clock.advance(599)
    expect(firedAt).toEqual([])
    await clock.advance(1_001)
    expect(firedAt).toEqual([earlier + 600, earlier + 1_600])
  })

  it('fires what falls due in order of time, then of creation, each at its time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30), { maxLength: 12 }), async (delays) => {
        const { clock } = manualClock()
        const fired: { delay: number; index: number; at: number }[] = []
        delays.forEach((delay, index) => {
          clock.setTimeout(() => fired.push({ delay, index, at: clock.now() - START }), delay)
        })
        await clock.advance(20)
        const expected = delays
          .map((delay, index) => ({ delay, index, at: delay }))
          .filter(({ delay }) => delay <= 20)
          .toSorted((one, other) => one.delay - other.delay)
        expect(fired).toEqual(expected)
        expect(clock.now()).toBe(START + 20)
      }),
      { numRuns: 20 },
    )
  })

  it('lets everything settle after each timer', async () => {
    const { clock } = manualClock()
    const steps: string[] = []
    clock.setTimeout(async () => {
      steps.push('first')
      for (let turn = 0; turn < 5; turn++) await nextTurn()
      steps.push('first has settled')
    }, 10)
    clock.setTimeout(() => steps.push('second'), 20)
    await clock.advance(20)
    expect(steps).toEqual(['first', 'first has settled', 'second'])
  })

  it('moves by the sum of two advances at once', async () => {
    const { clock } = manualClock()
    await Promise.all([clock.advance(10), clock.advance(5)])
    expect(clock.now()).toBe(START + 15)
  })

  it('continues after a callback that throws, whose error is uncaught as with real timers', async () => {
    const { clock } = manualClock()
    const fired = vi.fn()
    const uncaught: unknown[] = []
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (error) => uncaught.push(error))
    clock.setTimeout(() => {
      throw new Error('of a callback')
    }, 1)
    clock.setTimeout(fired, 2)
    await clock.advance(2)
    process.removeAllListeners('uncaughtException')
    for (const listener of listeners) process.on('uncaughtException', listener)
    expect(fired).toHaveBeenCalledOnce()
    expect(uncaught).toEqual([new Error('of a callback')])
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 9e15])('throws when it should advance by %s', async (ms) => {
    await expect(manualClock().clock.advance(ms)).rejects.toThrow(ConfigurationError)
  })

  it('lets happen what its clients wait for when it is closed, in order, and runs later waits in real time', async () => {
    const { clock } = manualClock()
    const order: string[] = []
    clock.forClients.setTimeout(() => order.push('deadline'), 600_000)
    clock.forClients.setTimeout(() => order.push('poll'), 500)
    clock.forClients.clearTimeout(clock.forClients.setTimeout(() => order.push('taken back'), 1))
    clock.close()
    expect(order).toEqual(['poll', 'deadline'])
    await new Promise<void>((resolve) => clock.forClients.setTimeout(resolve, 1))
    clock.forClients.clearTimeout(clock.forClients.setTimeout(() => order.push('taken back'), 1))
  })
})

it.each(['manual', 'auto'] as const)(
  'create clock starts %s time at the same moment in each run, or at a given one',
  (setting) => {
    const startOf = (startTime?: number) => createClock(setting, { activity: new Activity(), startTime }).now()
    expect([startOf(), startOf(0)]).toEqual([Date.UTC(2026, 0, 1), 0])
  },
)
