import { describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { FAILED, gate, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../testing/test-inbox.ts'

const { job_id } = SUCCEEDED

describe('a delivery (section 6)', () => {
  test('is answered with 202 before its handler is done', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { inbox, deliver } = openInbox({ onSucceeded })
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledWith(SUCCEEDED, {
      attempt: 1,
      fence: 1,
      source: 'webhook',
      idempotencyKey: job_id,
      context: undefined,
      signal: expect.any(AbortSignal),
      complete: expect.any(Function),
    })
    finish()
    await inbox.drain()
  })

  test('that comes again is answered with 202 while the first is worked on, then with 200, and is not handled', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { deliver, count, told } = openInbox({ onSucceeded })
    await deliver(SUCCEEDED)
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    finish()
    await settle()
    await expect(deliver(SUCCEEDED)).resolves.toBe(200)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect([count('claimed'), count('busy'), count('done'), count('completed')]).toEqual([1, 1, 1, 1])
    expect(told.onConflict).toEqual([])
  })

  test('that comes a hundred times at once is handled once (rule 3)', async () => {
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ onSucceeded })
    const statuses = await Promise.all(Array.from({ length: 100 }, () => deliver(SUCCEEDED)))
    await settle()
    expect(statuses.every((status) => status === 200 || status === 202)).toBe(true)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('that says something else than the first is told to `onConflict`, and the first one stands', async () => {
    const onSucceeded = vi.fn()
    const { deliver, told, count } = openInbox({ onSucceeded })
    await deliver(SUCCEEDED)
    await settle()
    await deliver({ ...FAILED, job_id })
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(told.onConflict).toEqual([{ jobId: job_id, event: { ...FAILED, job_id } }])
    expect(count('mismatch')).toBe(1)
  })

  test('of an unknown status does not hide the result that follows', async () => {
    const onUnknown = vi.fn()
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ onUnknown, onSucceeded })
    await deliver({ job_id, status: 'processing' })
    await settle()
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await settle()
    expect([onUnknown.mock.calls.length, onSucceeded.mock.calls.length]).toEqual([1, 1])
  })

  test('whose handler failed 8 times is a dead letter: its duplicate is not handled', async () => {
    const onFailed = vi.fn(() => {
      throw new Error('the database is down')
    })
    const { clock, deliver, told } = openInbox({ onFailed })
    await deliver(FAILED)
    await clock.advance(127_000)
    expect(told.onHandlerError.map(({ retryInMs }) => retryInMs)).toEqual([
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      32_000,
      64_000,
      undefined,
    ])
    await expect(deliver(FAILED)).resolves.toBe(200)
    await clock.advance(1_000_000)
    expect(onFailed).toHaveBeenCalledTimes(8)
  })

  test('is counted with the time until its answer', async () => {
    const { deliver, metrics } = openInbox()
    await deliver(SUCCEEDED)
    expect(metrics.filter(({ name }) => name === 'ack_ms')).toEqual([{ name: 'ack_ms', value: 0, jobId: undefined }])
  })
})

describe('an inbox with a client (section 6, rule 4)', () => {
  const forged = {
    ...SUCCEEDED,
    output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.com' }] },
  }

  test('shows its handler what the service says, not what was delivered', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { deliver } = openInbox({ client, onSucceeded })
    await deliver(forged)
    await settle()
    expect(calls).toEqual([job_id])
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ output: SUCCEEDED_JOB.output })
    expect(JSON.stringify(onSucceeded.mock.calls)).not.toContain('evil')
  })

  test('looks again at a job that is still processing', async () => {
    const states = ['processing', 'processing']
    const { client, calls } = jobsOf(() => {
      const status = states.shift()
      return status === undefined ? SUCCEEDED_JOB : { status }
    })
    const onSucceeded = vi.fn()
    const { clock, deliver } = openInbox({ client, onSucceeded })
    await deliver(SUCCEEDED)
    await clock.advance(2_999)
    expect(onSucceeded).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(calls).toHaveLength(3)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

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
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(waited.mock.calls).toMatchObject([[{ output: SUCCEEDED_JOB.output }]])
  })
})

describe('a request that is no delivery', () => {
  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('is answered with 405 when it is a %s', async (method) => {
    const response = await openInbox().inbox.handle(new Request('https://example.com', { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each(['', 'x', '{}', '[]', `"${'x'.repeat(300_000)}"`])(
    'is answered with 400 when its body is bad',
    async (body) => {
      const request = new Request('https://example.com', { method: 'POST', body })
      const response = await openInbox().inbox.handle(request)
      expect(response.status).toBe(400)
      await expect(response.json()).resolves.toEqual({ message: expect.stringContaining('cannot be used') })
    },
  )
})
