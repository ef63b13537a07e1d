import { describe, expect, test, vi } from 'vitest'
import { createManualClock, settle } from '../../test/manual-clock.ts'
import {
  CONFIRMING,
  FAILED,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'

const { job_id } = SUCCEEDED
const DAY_MS = 86_400_000
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }

describe('an inbox with a secret', () => {
  test('takes a delivery to a URL that it created', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver } = openInbox({ ...signed, onSucceeded })
    await expect(deliver(SUCCEEDED, await inbox.callbackUrl())).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test.each([
    ['without a token', (url: string) => url.replace(/\?.*/, '')],
    ['with a forged token', (url: string) => url.replace(/.{4}$/, 'AAAA')],
  ])('responds 401 to one %s, before it reads the body or asks the engine', async (_, change) => {
    const shared = openEngine()
    const { inbox, notices } = openInbox({ ...signed, ...shared })
    const url = change(await inbox.callbackUrl())
    const body = new ReadableStream(
      { pull: () => Promise.reject(new Error('the body was read')) },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' }
    const response = await inbox.handle(new Request(url, init))
    expect(response.status).toBe(401)
    expect(shared.engine.calls).toEqual({})
    expect(notices.onHandlerError).toEqual([])
  })

  test('responds 401 to a second job at the same URL, and 202 to duplicates of the first', async () => {
    const onFailed = vi.fn()
    const { inbox, deliver } = openInbox({ ...signed, onFailed })
    const url = await inbox.callbackUrl()
    await deliver(SUCCEEDED, url)
    await settle()
    await expect(deliver({ ...FAILED, job_id: 'job_other' }, url)).resolves.toBe(401)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
    await settle()
    expect(onFailed).not.toHaveBeenCalled()
  })

  test('responds 401 to an expired token without a client, because nothing can confirm the delivery', async () => {
    const { inbox, deliver, clock } = openInbox(signed)
    const url = await inbox.callbackUrl()
    await clock.advance(DAY_MS + 61_000)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(401)
  })

  test('asks the service about a delivery with an expired token', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { inbox, deliver, clock } = openInbox({ ...signed, client, onSucceeded })
    const url = await inbox.callbackUrl()
    await clock.advance(DAY_MS + 61_000)
    await expect(deliver({ ...SUCCEEDED, output: { type: 'image', items: [] } }, url)).resolves.toBe(202)
    await settle()
    expect(calls).toEqual([job_id])
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ output: SUCCEEDED_JOB.output })
  })

  test('takes the tokens of every key that it knows', async () => {
    const clock = createManualClock()
    const old = openInbox({ ...signed, secret: { old: SECRET }, clock })
    const rotated = openInbox({ ...signed, secret: { new: `${SECRET}!`, old: SECRET }, clock })
    await expect(rotated.deliver(SUCCEEDED, await old.inbox.callbackUrl())).resolves.toBe(202)
    await expect(old.deliver(SUCCEEDED, await rotated.inbox.callbackUrl())).resolves.toBe(401)
  })
})

test('a response never takes longer than 8 s (section 6, rule 1)', async () => {
  const shared = openEngine()
  const { inbox, clock } = openInbox({ ...shared, client: CONFIRMING })
  const startedAt = clock.now()
  const body = new ReadableStream({ pull: () => new Promise(() => {}) })
  const response = await clock.run(
    inbox.handle(new Request(PUBLIC_URL, { method: 'POST', body, duplex: 'half' } as RequestInit)),
  )
  // The body has 3 s.
  expect([response.status, clock.now() - startedAt]).toEqual([408, 3_000])
  shared.engine.breakDown('hang')
  const late = await clock.run(
    inbox.handle(new Request(PUBLIC_URL, { method: 'POST', body: JSON.stringify(SUCCEEDED) })),
  )
  expect([late.status, clock.now() - startedAt]).toEqual([503, 5_000])
})

test('a delivery does not wait for other handlers: 202 while all places are taken', async () => {
  const { deliver } = openInbox({ onSucceeded: () => new Promise(() => {}), concurrency: 1 })
  for (let n = 0; n < 5; n++) await expect(deliver({ ...SUCCEEDED, job_id: `job_${n}` })).resolves.toBe(202)
})
