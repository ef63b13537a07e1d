import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, openInbox, SUCCEEDED } from '../../testing/test-inbox.ts'
import { createMemoryStore } from '../store/memory-store.ts'

function openFaulty() {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  return { clock, store }
}

describe('a store that is down', () => {
  test('has a delivery answered with 503 and kept: it is handled when the store is back', async () => {
    const { clock, store } = openFaulty()
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ clock, store, onSucceeded })
    store.breakDown('before')
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await clock.advance(30_000)
    store.repair()
    await clock.advance(10_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(clock.timerCount).toBe(0)
  })

  test('is tried for a minute; then the delivery is told to be lost', async () => {
    const { clock, store } = openFaulty()
    const { deliver, told } = openInbox({ clock, store })
    store.breakDown('before')
    await deliver(SUCCEEDED)
    await clock.advance(59_000)
    expect(told.onHandlerError).toEqual([])
    await clock.advance(2_000)
    expect(told.onHandlerError).toEqual([{ event: SUCCEEDED, attempt: 1, error: expect.any(Error) }])
    expect(clock.timerCount).toBe(0)
  })

  test('keeps a bounded number of deliveries', async () => {
    const { clock, store } = openFaulty()
    const { deliver, told } = openInbox({ clock, store })
    store.breakDown('before')
    for (let n = 0; n < 1_010; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
    await settle()
    expect(told.onHandlerError).toHaveLength(10)
    await clock.advance(61_000)
    expect(told.onHandlerError).toHaveLength(1_010)
  })

  test('keeps a bounded amount of deliveries', async () => {
    const { clock, store } = openFaulty()
    const { deliver, told } = openInbox({ clock, store })
    store.breakDown('before')
    const big = { type: 'image', items: [{ type: 'image', url: 'x'.repeat(200_000) }] }
    for (let n = 0; n < 90; n++) await deliver({ ...SUCCEEDED, output: big, job_id: `job_${n}` })
    await settle()
    expect(told.onHandlerError).toHaveLength(90 - 83)
  })

  test.each([
    ['number', 1_000, 'x'],
    ['amount', 83, 'x'.repeat(200_000)],
  ])('has room for as many again, by %s, once those that were kept are stored', async (_, count, url) => {
    const { clock, store } = openFaulty()
    const { deliver, told } = openInbox({ clock, store })
    const output = { type: 'image', items: [{ type: 'image', url }] }
    for (const outage of ['first', 'second']) {
      store.breakDown('before')
      for (let n = 0; n < count; n++) await deliver({ ...SUCCEEDED, output, job_id: `job_${outage}_${n}` })
      store.repair()
      await clock.advance(60_000)
    }
    expect(told.onHandlerError).toEqual([])
    await expect(store.get(`job_second_${count - 1}`)).resolves.toMatchObject({ state: 'done' })
  })

  test('that does not answer has the delivery answered after 2 s, and the work begins when it does', async () => {
    const { clock, store } = openFaulty()
    const onSucceeded = vi.fn()
    const { deliver, inbox, count } = openInbox({ clock, store, onSucceeded })
    await deliver({ ...FAILED, job_id: 'job_0' })
    store.fail('claim', 'late')
    const startedAt = clock.now()
    let answeredAfterMs = 0
    const answered = deliver(SUCCEEDED).then((status) => {
      answeredAfterMs = clock.now() - startedAt
      return status
    })
    await clock.advance(5_000)
    await expect(answered).resolves.toBe(503)
    expect(answeredAfterMs).toBe(2_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    store.answerLate()
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(count('completed')).toBe(2)
    await inbox.drain()
    expect(clock.timerCount).toBe(0)
  })

  test('whose answer to the claim was lost has the job handled once its own lease has ended', async () => {
    const { clock, store } = openFaulty()
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ clock, store, onSucceeded })
    await deliver({ ...FAILED, job_id: 'job_0' })
    store.fail('claim', 'after')
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await clock.advance(59_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    await clock.advance(2_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(clock.timerCount).toBe(0)
  })
})
