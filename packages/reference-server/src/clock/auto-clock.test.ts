import { describe, expect, it, vi } from 'vitest'
import { Activity } from './activity.ts'
import type { RunningClock } from './clock.ts'
import { nextTurn } from './real-time.ts'
import { createAutoClock } from './virtual-clock.ts'

const START = Date.UTC(2030, 4, 1)
const HOUR_MS = 3_600_000

function autoClock() {
  const activity = new Activity()
  const clock = createAutoClock(START, activity)
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms))
  return { activity, clock, sleep }
}

describe('auto clock', () => {
  it('jumps to the next timer when everything waits on it', async () => {
    const { clock, sleep } = autoClock()
    for (let hour = 0; hour < 20; hour++) await sleep(HOUR_MS)
    expect(clock.now()).toBe(START + 20 * HOUR_MS)
  })

  it('does not jump while something is worked on', async () => {
    const { clock, activity } = autoClock()
    const work = activity.start()
    const fired = vi.fn()
    clock.setTimeout(fired, 1)
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(fired).not.toHaveBeenCalled()
    expect(clock.now()).toBe(START)
    const jumped = clock.advance(2)
    work.park()
    await jumped
    expect(fired).toHaveBeenCalledOnce()
  })

  it('jumps past work that stays silent', async () => {
    const { clock, activity, sleep } = autoClock()
    activity.start()
    await sleep(10_000)
    expect(clock.now()).toBe(START + 10_000)
  })

  it('advances by hand too, firing what is due on the way', async () => {
    const { clock } = autoClock()
    const fired: number[] = []
    clock.setTimeout(() => fired.push(clock.now() - START), 10)
    await clock.advance(20)
    expect(fired).toEqual([10])
    expect(clock.now()).toBe(START + 20)
    await expect(clock.advance(-1)).rejects.toThrow('0 or more')
  })

  it('waits some real time before it jumps to a time limit of a client, which may do work that the server cannot see', async () => {
    const { clock } = autoClock()
    const timedOut = vi.fn()
    const timeLimit = clock.forClients.setTimeout(timedOut, HOUR_MS)
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(timedOut).not.toHaveBeenCalled()
    clock.forClients.clearTimeout(timeLimit)
    await new Promise<void>((resolve) => clock.forClients.setTimeout(resolve, HOUR_MS))
    expect(clock.now()).toBe(START + HOUR_MS)
  })

  it.each<[string, (clock: RunningClock, fired: () => void) => unknown]>([
    ['that was taken back', (clock, fired) => clock.clearTimeout(clock.setTimeout(fired, 10))],
    ['beyond every date', (clock, fired) => clock.setTimeout(fired, Number.POSITIVE_INFINITY)],
    ['of a clock that was closed', (clock, fired) => [clock.setTimeout(fired, 10), clock.close()]],
  ])('never reaches a timer %s', async (_, set) => {
    const { clock } = autoClock()
    const fired = vi.fn()
    set(clock, fired)
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    expect([fired.mock.calls.length, clock.now()]).toEqual([0, START])
  })

  it('ends its advances when closed, and those that come later', async () => {
    const { clock, activity } = autoClock()
    activity.start()
    const advanced = clock.advance(HOUR_MS)
    clock.close()
    await advanced
    await clock.advance(HOUR_MS)
    expect(clock.now()).toBe(START)
  })
})
