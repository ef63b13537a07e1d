import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  CONFIRMING,
  FAILED,
  gate,
  jobsOf,
  openInbox,
  PUBLIC_URL,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'

const { job_id } = SUCCEEDED
const no = () => {
  throw new Error('the database is down')
}

describe('a delivery (section 6)', () => {
  test('gets 202 before its handler is done', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { inbox, deliver, handled } = openInbox({ onSucceeded })
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledWith(SUCCEEDED, {
      attempt: 1,
      fence: 1,
      source: 'webhook',
      idempotencyKey: job_id,
      context: undefined,
      signal: expect.any(AbortSignal),
    })
    expect(handled()).toBe(0)
    finish()
    await inbox.drain()
    expect(handled()).toBe(1)
  })

  test('that comes again gets 202, before and after the end of the first, and is not handled', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { deliver, handled } = openInbox({ onSucceeded })
    await deliver(SUCCEEDED)
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    finish()
    await settle()
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(handled()).toBe(1)
  })

  test('of an unknown status does not hide the result that follows, and has another idempotency key', async () => {
    const [onUnknown, onSucceeded] = [vi.fn(), vi.fn()]
    const { deliver } = openInbox({ onUnknown, onSucceeded })
    await deliver({ job_id, status: 'processing' })
    await settle()
    await deliver(SUCCEEDED)
    await settle()
    const keys = [onUnknown, onSucceeded].map((handler) =>
      handler.mock.calls.map(([, fields]) => fields.idempotencyKey),
    )
    expect(keys).toEqual([[`${job_id}?processing`], [job_id]])
  })

  test('whose handler failed 8 times is a dead letter: its duplicate is not handled', async () => {
    const onFailed = vi.fn(no)
    const { clock, deliver, notices } = openInbox({ onFailed })
    await deliver(FAILED)
    await clock.advance(127_000)
    expect(onFailed).toHaveBeenCalledTimes(8)
    expect(notices.onHandlerError.map(({ attempt, isLast }) => [attempt, isLast])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, attempt === 8]),
    )
    expect(notices.onDead).toMatchObject([{ jobId: FAILED.job_id, event: FAILED, attempt: 8, context: undefined }])
    await expect(deliver(FAILED)).resolves.toBe(202)
    await clock.advance(1_000_000)
    expect(onFailed).toHaveBeenCalledTimes(8)
  })

  test('whose handler failed runs again after `backoffMs`, or half of it at the least', async () => {
    const onFailed = vi.fn(no)
    const { clock, deliver } = openInbox({ onFailed, backoffMs: 10_000, maxAttempts: 2 })
    await deliver(FAILED)
    await clock.advance(4_999)
    expect(onFailed).toHaveBeenCalledTimes(1)
    await clock.advance(5_001)
    expect(onFailed).toHaveBeenCalledTimes(2)
    await clock.advance(1_000_000)
    expect(onFailed).toHaveBeenCalledTimes(2)
  })
})

describe('a handler', () => {
  test('that takes longer than `maxRunMs` has failed: its signal aborts, it is notified, and its end does not count', async () => {
    const { opened, open: finish } = gate()
    const signals: AbortSignal[] = []
    const onSucceeded = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      await opened
    }
    const { clock, deliver, notices, inbox } = openInbox({ onSucceeded, maxRunMs: 5_000, maxAttempts: 2 })
    await deliver(SUCCEEDED)
    await clock.advance(4_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]?.aborted).toBe(true)
    expect(notices.onHandlerError).toMatchObject([{ attempt: 1, isLast: false }])
    expect(String(notices.onHandlerError[0]?.error)).toContain('longer than 5000 ms')
    await clock.advance(7_000)
    expect(notices.onDead).toMatchObject([{ jobId: job_id, attempt: 2 }])
    finish()
    await settle()
    expect(notices.onHandlerError).toHaveLength(2)
    await expect(inbox.deadLetters.list()).resolves.toMatchObject([{ jobId: job_id }])
  })

  test.each([1, 3, 10])('runs at most %i times at once in a process', async (concurrency) => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { deliver, handled } = openInbox({ onSucceeded, ...(concurrency === 10 ? {} : { concurrency }) })
    for (let n = 0; n < 20; n++) expect(await deliver({ ...SUCCEEDED, job_id: `job_${n}` })).toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledTimes(concurrency)
    finish()
    await settle()
    expect(handled()).toBe(20)
  })
})

describe('an inbox with a client (section 6, rule 4)', () => {
  const forged = {
    ...SUCCEEDED,
    output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.com' }] },
  }

  test('does not lose the true delivery after a forged one that came too early', async () => {
    let job = { status: 'processing' } as typeof SUCCEEDED_JOB
    const { client } = jobsOf(() => job)
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openInbox({ client, onSucceeded })
    const waited = vi.fn()
    void inbox.waitFor(job_id).then(waited)
    await deliver(forged)
    await clock.advance(31_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(waited).not.toHaveBeenCalled()

    job = SUCCEEDED_JOB
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await clock.advance(11_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(waited.mock.calls).toMatchObject([[{ output: SUCCEEDED_JOB.output }]])
  })
})

test.each(['', 'x', '{}', '[]', `"${'x'.repeat(300_000)}"`])('a body that is not a delivery gets 400', async (body) => {
  const request = new Request(PUBLIC_URL, { method: 'POST', body })
  const response = await openInbox({ client: CONFIRMING }).inbox.handle(request)
  expect(response.status).toBe(400)
  await expect(response.json()).resolves.toEqual({ message: expect.stringContaining('cannot be used') })
})
