import { describe, expect, test, vi } from 'vitest'
import { ConfigurationError } from '../../errors/local-errors.ts'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, openInbox, SUCCEEDED } from '../../testing/test-inbox.ts'
import { createMemoryStore } from './memory-store.ts'

function openFaulty() {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  return { clock, store }
}

describe('the test of the store at the start', () => {
  test('is made once, before the first claim, and leaves no record', async () => {
    const { clock, store } = openFaulty()
    const { deliver } = openInbox({ clock, store })
    await Promise.all([deliver(SUCCEEDED), deliver(FAILED)])
    await settle()
    expect([store.calls.migrate, store.calls.claim]).toEqual([1, 4])
    const states = ['expected', 'leased', 'retry', 'dead'] as const
    const left = await Promise.all(states.map((state) => store.list(state, { limit: 10 })))
    expect(left).toEqual([[], [], [], []])
  })

  test('makes a store that gives one record to two workers answer 503, and `start` throw', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const clock = createManualClock()
    const store = createMemoryStore({ clock })
    const claim: typeof store.claim = (key, request) => store.claim(`${key}${Math.random()}`, request)
    const onSucceeded = vi.fn()
    const { deliver, inbox } = openInbox({ clock, store: { ...store, claim }, onSucceeded })
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await clock.advance(100_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(() => inbox.start()).toThrow('two claims of one new key gave acquired and acquired')
    await expect(inbox.sweep()).rejects.toThrow(ConfigurationError)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })

  test('believes a store that says that it is set up wrong', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const clock = createManualClock()
    const migrate = () => Promise.reject(new ConfigurationError({ message: 'Redis forgets keys when it is full.' }))
    const { deliver, inbox } = openInbox({ clock, store: { ...createMemoryStore({ clock }), migrate } })
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    expect(() => inbox.start()).toThrow('Redis forgets keys')
    expect(clock.timerCount).toBe(0)
    log.mockRestore()
  })

  test('is made again when the store was down', async () => {
    const { clock, store } = openFaulty()
    const { deliver } = openInbox({ clock, store })
    store.fail('migrate', 'before')
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await expect(deliver(FAILED)).resolves.toBe(202)
    expect(store.calls.migrate).toBe(2)
  })
})
