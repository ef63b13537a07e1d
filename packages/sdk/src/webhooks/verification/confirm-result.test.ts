import { describe, expect, test, vi } from 'vitest'
import { openCore, storedDelivery } from '../../../test/test-core.ts'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../../test/test-inbox.ts'
import { ApiError, NotFoundError, ServerError } from '../../client/errors/api-errors.ts'
import type { StoredDelivery } from '../stored-records.ts'
import { confirmResult, type Unconfirmed } from './confirm-result.ts'

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

  test('polls the service for a delivery with a url of another host, also when its token is valid', async () => {
    const job = { ...SUCCEEDED_JOB, output: linked('https://files.example.com/0.png').output }
    const { client, calls } = jobsOf(() => job)
    const onSucceeded = vi.fn()
    const harness = openInbox({
      ...signed,
      client,
      trust: 'token',
      onSucceeded,
      allowedOutputHosts: ['files.example.com'],
    })
    await harness.deliver(linked('https://evil.example.net/0.png'), await harness.inbox.callbackUrl())
    await harness.clock.advance(1_000)
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

describe('confirmResult', () => {
  const UNKNOWN: StoredDelivery['event'] = { status: 'unknown', job_id, reported_status: 'paused', payload: {} }
  const running = () => ({ status: 'processing' })
  const said = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }

  function openConfirm(state: Parameters<typeof jobsOf>[0]) {
    const { client, calls } = jobsOf(state)
    const harness = openCore({ client, giveUpAfterMs: 600_000, expectedAfterMs: 5_000 })
    const confirm = (delivery: Partial<StoredDelivery> = {}, run: Partial<Unconfirmed> = {}) => {
      const unconfirmed = { delivery: storedDelivery(delivery), attempt: 1, fence: 1, ...run }
      return confirmResult(harness.core, unconfirmed)
    }
    return { ...harness, calls, confirm }
  }

  test.each<[string, Partial<StoredDelivery>]>([
    ['a poll found', { source: 'poll', token: 'none' }],
    ['a poll confirmed already', { isConfirmed: true, token: 'none' }],
  ])('asks nothing of what %s', async (_, delivery) => {
    const { confirm, calls } = openConfirm(() => SUCCEEDED_JOB)
    await expect(confirm(delivery)).resolves.toEqual(SUCCEEDED)
    expect(calls).toEqual([])
  })

  test('gives what the service says, also of a delivery whose time is over', async () => {
    const { confirm, clock } = openConfirm(() => SUCCEEDED_JOB)
    await clock.advance(86_400_000)
    const { credits_used: _, completed_at: __, ...other } = SUCCEEDED
    await expect(confirm({ event: { ...other, output: { type: 'image', items: [] } } })).resolves.toEqual(said)
  })

  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 3_000],
    [10, 10_000],
    [20, 10_000],
  ])('asks about a job that runs again: after run %i in %i ms', async (fence, delayMs) => {
    const { confirm } = openConfirm(running)
    await expect(confirm({}, { fence })).rejects.toMatchObject({ name: 'RetryAfterError', delayMs })
  })

  test('asks until `giveUpAfterMs` after the delivery came, and not a millisecond longer', async () => {
    const { confirm, clock } = openConfirm(running)
    await clock.advance(599_999)
    await expect(confirm()).rejects.toMatchObject({ name: 'RetryAfterError' })
    await clock.advance(1)
    const message = `The service does not confirm the delivery of the job ${job_id}.`
    await expect(confirm()).rejects.toMatchObject({ name: 'NonRetriableError', code: 'unconfirmed', message })
  })

  test('asks when the outage of the service may be over', async () => {
    const { confirm } = openConfirm(fail(new ServerError({ message: 'down', status: 500, retryAfterMs: 7_000 })))
    await expect(confirm()).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 7_000 })
  })

  test('gives up a job id that the service rejects, with its reason', async () => {
    const { confirm, core } = openConfirm(fail(new ApiError({ message: 'bad id', status: 400 })))
    const failure = { name: 'NonRetriableError', code: 'unconfirmed', message: expect.stringContaining('bad id') }
    await expect(confirm()).rejects.toMatchObject(failure)
    await core.queues.expected.add(job_id, {})
    await expect(confirm({}, { attempt: 9 })).rejects.toMatchObject(failure)
  })

  test('drops a job that the service does not have at the third attempt, unless it is expected', async () => {
    const { confirm, core } = openConfirm(fail(notFound))
    for (const attempt of [1, 2]) await expect(confirm({}, { attempt })).rejects.toBe(notFound)
    await expect(confirm({}, { attempt: 3 })).resolves.toBeUndefined()
    await core.queues.expected.add(job_id, {})
    const expected = confirm({}, { attempt: 3, fence: 4 })
    await expect(expected).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 4_000 })
  })

  test('has the job of a newer status expected when the service says that it runs', async () => {
    const { confirm, clock, core, engine } = openConfirm(running)
    await expect(confirm({ event: UNKNOWN })).resolves.toBeUndefined()
    await expect(engine.task('expected', job_id)).resolves.toMatchObject({ data: { notedAt: clock.now() } })
    const worked = vi.fn(async () => undefined)
    const worker = core.queues.expected.work(worked, {})
    await clock.advance(4_999)
    expect(worked).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(worked).toHaveBeenCalledOnce()
    await worker.stop()
  })

  test('does not have a job expected that the service does not have, whatever its delivery said', async () => {
    const { confirm, engine } = openConfirm(fail(notFound))
    await expect(confirm({ event: UNKNOWN }, { attempt: 1 })).rejects.toBe(notFound)
    await expect(confirm({ event: UNKNOWN }, { attempt: 3 })).resolves.toBeUndefined()
    await expect(engine.task('expected', job_id)).resolves.toBeUndefined()
  })
})
