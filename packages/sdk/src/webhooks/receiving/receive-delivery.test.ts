import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import { createInboxCore } from '../inbox-core.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { createReceive } from './receive-delivery.ts'

const { job_id } = SUCCEEDED
const DAY_MS = 86_400_000

const signed = { secret: SECRET, publicUrl: PUBLIC_URL }

function openFaulty() {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  return { clock, store }
}

describe('an inbox with a secret', () => {
  test('takes a delivery to an address that it made', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver } = openInbox({ ...signed, onSucceeded })
    await expect(deliver(SUCCEEDED, await inbox.callbackUrl())).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test.each([
    ['without a token', (url: string) => url.replace(/\?.*/, '')],
    ['with a forged token', (url: string) => url.replace(/.{4}$/, 'AAAA')],
  ])('answers 401 to one %s, before it reads the body or asks the store', async (_, change) => {
    const { clock, store } = openFaulty()
    const { inbox, told } = openInbox({ ...signed, clock, store })
    const url = change(await inbox.callbackUrl())
    const body = new ReadableStream(
      { pull: () => Promise.reject(new Error('the body was read')) },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' }
    const answer = await inbox.handle(new Request(url, init))
    expect(answer.status).toBe(401)
    expect(store.calls).toEqual({})
    expect(told.onHandlerError).toEqual([])
  })

  test('answers 401 to a second job at the same address, and to its duplicates as ever', async () => {
    const { inbox, deliver } = openInbox(signed)
    const url = await inbox.callbackUrl()
    await deliver(SUCCEEDED, url)
    await settle()
    await expect(deliver({ ...FAILED, job_id: 'job_other' }, url)).resolves.toBe(401)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(200)
  })

  test('without a client, answers 401 to an expired token', async () => {
    const { inbox, deliver, clock } = openInbox(signed)
    const url = await inbox.callbackUrl()
    await clock.advance(DAY_MS + 61_000)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(401)
  })

  test('with a client, takes an expired token for a hint: the service is asked, whoever is trusted', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { inbox, deliver, clock } = openInbox({ ...signed, client, trust: 'token', onSucceeded })
    const [late, fresh] = [await inbox.callbackUrl(), inbox.callbackUrl]
    await clock.advance(DAY_MS + 61_000)
    await expect(deliver({ ...SUCCEEDED, output: { type: 'image', items: [] } }, late)).resolves.toBe(202)
    await settle()
    expect(calls).toEqual([job_id])
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ output: SUCCEEDED_JOB.output })
    // A token that is good is enough.
    await deliver({ ...FAILED, job_id: 'job_2' }, await fresh())
    await settle()
    expect(calls).toEqual([job_id])
  })

  test('takes the tokens of every key that it knows', async () => {
    const clock = createManualClock()
    const old = openInbox({ ...signed, secret: { old: SECRET }, clock })
    const rotated = openInbox({ ...signed, secret: { new: `${SECRET}!`, old: SECRET }, clock })
    await expect(rotated.deliver(SUCCEEDED, await old.inbox.callbackUrl())).resolves.toBe(202)
    await expect(old.deliver(SUCCEEDED, await rotated.inbox.callbackUrl())).resolves.toBe(401)
  })
})

test('an answer never takes longer than 8 s', async () => {
  const clock = createManualClock()
  const receive = createReceive(createInboxCore({ clock, trust: 'payload' }))
  const startedAt = clock.now()
  const answer = await clock.run(receive({ method: 'POST', readBody: () => new Promise(() => {}) }))
  expect([answer.status, clock.now() - startedAt]).toEqual([503, 8_000])
  expect(clock.timerCount).toBe(0)
})

describe('waitUntil', () => {
  test('is given the work; what fails is not tried again by a timer', async () => {
    const { clock } = openFaulty()
    const store = { ...createMemoryStore({ clock }), guarantees: { durable: true, shared: true, transactional: false } }
    const onSucceeded = vi.fn().mockRejectedValueOnce(new Error('no'))
    const { inbox, count } = openInbox({ clock, store, onSucceeded })
    const works: Promise<unknown>[] = []
    const request = new Request(PUBLIC_URL, { method: 'POST', body: JSON.stringify(SUCCEEDED) })
    await inbox.handle(request, { waitUntil: (work) => works.push(work) })
    await Promise.all(works)
    expect(works).toHaveLength(1)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(clock.timerCount).toBe(0)
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await expect(inbox.sweep()).resolves.toEqual({ found: 1, claimed: 1, completed: 1 })
    expect(count('completed')).toBe(1)
  })

  test('that throws costs no answer and no work', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { inbox, count } = openInbox()
    const request = new Request(PUBLIC_URL, { method: 'POST', body: JSON.stringify(SUCCEEDED) })
    const waitUntil = () => {
      throw new Error('This context has no ExecutionContext')
    }
    await expect(inbox.handle(request, { waitUntil })).resolves.toMatchObject({ status: 202 })
    await settle()
    expect(count('completed')).toBe(1)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
