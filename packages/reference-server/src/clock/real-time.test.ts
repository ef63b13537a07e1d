import { afterEach, describe, expect, it, vi } from 'vitest'
import { afterRealTime, nextTurn, realNow } from './real-time.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('real time', () => {
  it('lets other work run in each turn', async () => {
    let immediates = 0
    let isOver = false
    const count = () => {
      immediates++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    isOver = true
    expect(immediates).toBeGreaterThan(50)
  })

  it('has turns where there is no MessageChannel, as in older workers', async () => {
    vi.stubGlobal('MessageChannel', undefined)
    vi.useFakeTimers()
    await expect(nextTurn()).resolves.toBeUndefined()
  })

  it('goes on under fake timers', async () => {
    vi.useFakeTimers()
    const before = realNow()
    await nextTurn()
    await new Promise<void>((resolve) => afterRealTime(2, resolve))
    expect(realNow() - before).toBeGreaterThanOrEqual(1)
  })

  it('takes a timer back', async () => {
    const taken = vi.fn()
    const takeBack = afterRealTime(1, taken)
    takeBack()
    await new Promise<void>((resolve) => afterRealTime(5, resolve))
    expect(taken).not.toHaveBeenCalled()
  })

  it('leaves nothing open behind it', async () => {
    const openPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const before = openPorts()
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    await vi.waitFor(() => expect(openPorts()).toBe(before)) // ports close in turns of their own
  })
})
