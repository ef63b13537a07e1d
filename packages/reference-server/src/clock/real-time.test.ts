import { describe, expect, it, vi } from 'vitest'
import { afterRealTime, nextTurn, realNow } from './real-time.ts'

function fail(): never {
  throw new Error('A Node.js API is used which is not supported in the Edge Runtime.')
}

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

  it.each([
    ['no setImmediate, as in browsers', { setImmediate: undefined }],
    ['a fake setImmediate, when loaded under fake timers', { setImmediate: Object.assign(vi.fn(), { clock: {} }) }],
    ['no MessageChannel either, as in older workers', { setImmediate: undefined, MessageChannel: undefined }],
    ['both, but they throw, as in the Edge runtime of Next.js', { setImmediate: vi.fn(fail), MessageChannel: fail }],
  ])('has turns where there is %s', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    vi.resetModules()
    const realTime = await import('./real-time.ts')
    vi.useFakeTimers()
    await expect(realTime.nextTurn()).resolves.toBeUndefined()
  })

  it('continues under fake timers', async () => {
    vi.useFakeTimers()
    const before = realNow()
    await nextTurn()
    await new Promise<void>((resolve) => afterRealTime(2, resolve))
    expect(realNow() - before).toBeGreaterThanOrEqual(1)
  })

  it('leaves nothing open behind it', async () => {
    vi.stubGlobal('setImmediate', undefined)
    vi.resetModules()
    const realTime = await import('./real-time.ts')
    const openPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const before = openPorts()
    for (let turn = 0; turn < 20; turn++) await realTime.nextTurn()
    await vi.waitFor(() => expect(openPorts()).toBe(before), { timeout: 100_000 }) // ports close in turns of their own
  })
})
