import { describe, expect, test, vi } from 'vitest'
import { ApiError, NotFoundError } from '../../errors/api-errors.ts'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'

const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const notFound = new NotFoundError({ message: 'no such job', status: 404 })
const fail = (error: unknown) => () => {
  throw error
}

describe('a delivery of a job that still runs', () => {
  test('is confirmed by polls that become rarer, up to 10 s apart; its handler then runs for the first time', async () => {
    let job = { status: 'processing' } as typeof SUCCEEDED_JOB
    const { client, calls } = jobsOf(() => job)
    const onSucceeded = vi.fn()
    const { clock, deliver, inbox, notices } = openInbox({ ...signed, client, onSucceeded })
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    await clock.advance(60_000)
    expect(calls.length).toBeGreaterThan(8)
    expect(calls.length).toBeLessThan(20)
    const polls = calls.length
    await clock.advance(600_000)
    expect(calls.length - polls).toBeGreaterThanOrEqual(59)
    expect(calls.length - polls).toBeLessThanOrEqual(61)
    expect(onSucceeded).not.toHaveBeenCalled()
    job = SUCCEEDED_JOB
    await clock.advance(10_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { attempt: 1 }]])
    expect([notices.onHandlerError, notices.onDead]).toEqual([[], []])
  })

  test('is a dead letter when the job has not ended within `giveUpAfterMs`', async () => {
    const { client } = jobsOf(() => ({ status: 'processing' }))
    const { clock, deliver, inbox, notices, count } = openInbox({ ...signed, client, giveUpAfterMs: 600_000 })
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    await clock.advance(599_000)
    expect(notices.onDead).toEqual([])
    await clock.advance(12_000)
    expect(notices.onDead).toMatchObject([{ jobId: job_id }])
    expect(count('dead')).toBe(1)
    await expect(inbox.deadLetters.list()).resolves.toMatchObject([{ code: 'unconfirmed' }])
  })
})

describe('a delivery of a job that the service does not have', () => {
  test('is dropped after three polls, and does not run its handler', async () => {
    const { client, calls } = jobsOf(fail(notFound))
    const onSucceeded = vi.fn()
    const { clock, deliver, inbox, count, notices } = openInbox({ ...signed, client, onSucceeded })
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    await clock.advance(600_000)
    expect(calls).toHaveLength(3)
    expect(onSucceeded).not.toHaveBeenCalled()
    expect([count('rejected'), notices.onDead]).toEqual([1, []])
  })

  test('waits for it when the job was expected', async () => {
    let isKnown = false
    const { client } = jobsOf(() => {
      if (!isKnown) throw notFound
      return SUCCEEDED_JOB
    })
    const onSucceeded = vi.fn()
    const { clock, deliver, inbox } = openInbox({ ...signed, client, onSucceeded })
    await inbox.expect(job_id)
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    await clock.advance(30_000)
    isKnown = true
    await clock.advance(10_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })
})

test('a delivery whose job id the service rejects is a dead letter at once', async () => {
  const { client, calls } = jobsOf(fail(new ApiError({ message: 'bad id', status: 400 })))
  const { clock, deliver, inbox, notices } = openInbox({ ...signed, client })
  await deliver(SUCCEEDED, await inbox.callbackUrl())
  await clock.advance(60_000)
  expect(calls).toHaveLength(1)
  expect(notices.onDead).toMatchObject([{ jobId: job_id }])
})

describe('`allowedOutputHosts`', () => {
  const linked = (url: string) => ({ ...SUCCEEDED, output: { type: 'image', items: [{ type: 'image', url }] } })

  test('makes a result with another host a dead letter, without a run of its handler', async () => {
    const onSucceeded = vi.fn()
    const { clock, deliver, notices } = openInbox({ onSucceeded, allowedOutputHosts: ['files.example.com'] })
    await deliver(linked('https://evil.example.net/0.png'))
    await clock.advance(60_000)
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(notices.onDead).toMatchObject([{ jobId: job_id, attempt: 1 }])
  })

  test('has the service asked about a delivery with another host, also when its token is believed', async () => {
    const job = { ...SUCCEEDED_JOB, output: linked('https://files.example.com/0.png').output }
    const { client, calls } = jobsOf(() => job)
    const onSucceeded = vi.fn()
    const bench = openInbox({
      ...signed,
      client,
      trust: 'token',
      onSucceeded,
      allowedOutputHosts: ['files.example.com'],
    })
    await bench.deliver(linked('https://evil.example.net/0.png'), await bench.inbox.callbackUrl())
    await bench.clock.advance(1_000)
    expect(calls).toEqual([job_id])
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ output: job.output })
  })

  test('keeps links of other hosts from `onUnknown`', async () => {
    const onUnknown = vi.fn()
    const { clock, deliver, notices } = openInbox({ onUnknown, allowedOutputHosts: ['files.example.com'] })
    const { completed_at: _, ...incomplete } = linked('https://evil.example.net/0.png')
    await deliver(incomplete)
    await clock.advance(60_000)
    expect(onUnknown).not.toHaveBeenCalled()
    expect(notices.onDead).toHaveLength(1)
  })
})
