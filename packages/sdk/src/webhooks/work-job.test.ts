import type { Task } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { jobTask, openCore, taskOf } from '../../test/test-core.ts'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import type { InboxOptions } from './inbox-options.ts'
import type { StoredJob } from './stored-job.ts'
import type { UnknownEvent } from './webhook-event.ts'
import { workJob } from './work-job.ts'

const { job_id } = SUCCEEDED
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const UNKNOWN: UnknownEvent = { status: 'unknown', job_id, reported_status: 'paused', payload: { status: 'paused' } }
const SAID = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }
const linked = (url: string) => ({ ...SUCCEEDED, output: { type: 'image', items: [{ type: 'image', url }] } })

/** Works the task of a delivery, and notes what `waitFor` gets. */
function openWork(state: Parameters<typeof jobsOf>[0], options: InboxOptions = {}) {
  const { client, calls } = jobsOf(state)
  const onSucceeded = vi.fn()
  const harness = openCore({ client, onSucceeded, giveUpAfterMs: DAY_MS, ...options })
  const outcome = vi.fn()
  harness.core.subscribers.wait(job_id).event.then(outcome, outcome)
  const work = (job: Partial<StoredJob> = {}, run: Partial<Task> = {}) => workJob(harness.core, jobTask(job, run))
  return { ...harness, calls, onSucceeded, outcome, work }
}

/** What is stored of a job that is expected, and of which nothing came. */
const EXPECTED: Partial<StoredJob> = {
  isExpected: true,
  context: 'mine',
  source: undefined,
  token: undefined,
  event: undefined,
}

describe('the handler gets what the service says', () => {
  test('with the credits and the time of a delivery whose output is the same', async () => {
    const { work, onSucceeded, outcome } = openWork(() => ({ ...SUCCEEDED_JOB, output: SUCCEEDED.output }))
    await expect(work()).resolves.toBeUndefined()
    const call = { attempt: 1, fence: 1, idempotencyKey: job_id, source: 'webhook' }
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, call]])
    await settle()
    expect(outcome).toHaveBeenCalledWith(SUCCEEDED)
  })

  test.each<[string, Partial<StoredJob>, object]>([
    ['of a delivery with another output', { event: linked('https://evil.example.net/0') }, { source: 'webhook' }],
    [
      'of one that says it failed',
      { event: { job_id, status: 'failed', error: { code: 'X', message: 'x' } } },
      { source: 'webhook' },
    ],
    ['of a job whose delivery did not come', EXPECTED, { source: 'poll', context: 'mine' }],
    ['of a job whose time is over', { notedAt: 0 }, { source: 'webhook' }],
    ['of an expired token', { token: 'expired' }, { source: 'webhook' }],
  ])('%s, which is stored for other processes', async (_, job, call) => {
    const { work, onSucceeded, calls } = openWork(() => SUCCEEDED_JOB)
    const result = await work(job)
    const [[event, context] = []] = onSucceeded.mock.calls
    expect([event?.output, event?.job_id, calls]).toEqual([SUCCEEDED_JOB.output, job_id, [job_id]])
    expect(context).toMatchObject(call)
    if (result !== undefined) expect(result).toEqual({ event })
  })

  test.each<[string, Partial<StoredJob>]>([
    ['a poll found', { source: 'poll', token: 'none' }],
    ['was confirmed already', { isConfirmed: true, token: 'none' }],
  ])('without asking again for what %s', async (_, job) => {
    const { work, calls, onSucceeded } = openWork(() => SUCCEEDED_JOB)
    await work(job)
    expect([calls, onSucceeded.mock.calls[0]?.[0]]).toEqual([[], SUCCEEDED])
  })

  test('or, without a client, what was delivered to a URL that the inbox has signed', async () => {
    const onSucceeded = vi.fn()
    const { core } = openCore({ onSucceeded })
    await workJob(core, jobTask())
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { source: 'webhook' }]])
  })
})

test('a task that cannot be read is a dead letter', async () => {
  const { core } = openCore()
  const unreadable = { name: 'NonRetriableError', code: 'unreadable' }
  await expect(workJob(core, taskOf(job_id, { old: true }))).rejects.toMatchObject(unreadable)
})

describe('an event of an unknown status', () => {
  test('is handled by itself when the service says the same', async () => {
    const onUnknown = vi.fn()
    const { core } = openWork(() => ({ status: 'paused' }), { onUnknown })
    const task = { ...jobTask({ event: UNKNOWN }), id: `${job_id}?paused` }
    await workJob(core, task)
    expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'paused' }, { idempotencyKey: task.id }]])
  })

  test('gives way to the result of the job, which has the task of the job', async () => {
    const { core, engine, onSucceeded } = openWork(() => SUCCEEDED_JOB)
    const task = { ...jobTask({ event: UNKNOWN }), id: `${job_id}?paused` }
    await expect(workJob(core, task)).resolves.toEqual({ isDropped: true })
    expect(onSucceeded).not.toHaveBeenCalled()
    await expect(engine.task('results', job_id)).resolves.toMatchObject({ data: { isConfirmed: true, event: SAID } })
  })

  test('of a job that was cancelled is handled once, whether a delivery says so or a poll', async () => {
    const onUnknown = vi.fn()
    const { client } = jobsOf(() => ({ status: 'cancelled' }))
    const { inbox, deliver, clock } = openInbox({ ...signed, client, onUnknown })
    const { url, ref } = await inbox.prepare({ context: 'mine' })
    await inbox.expect(job_id, { ref, pollInMs: 0 })
    await clock.advance(1_000)
    await deliver({ job_id, status: 'cancelled' }, url)
    await clock.advance(1_000)
    const call = { idempotencyKey: `${job_id}?cancelled`, context: 'mine' }
    expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'cancelled' }, call]])
    await inbox.drain()
  })
})

describe('`allowedOutputHosts`', () => {
  const hosts = { allowedOutputHosts: ['files.example.com'] }

  test('makes a result with another host a dead letter, without a run of its handler', async () => {
    const { work, notices, onSucceeded, outcome, count } = openWork(
      () => ({ status: 'succeeded', output: linked('https://evil.example.net/0').output }),
      hosts,
    )
    const error = { name: 'NonRetriableError', code: 'forbidden_host' }
    await expect(work({}, { attempt: 2, lost: 3 })).rejects.toMatchObject(error)
    expect(notices.onDead).toMatchObject([{ jobId: job_id, attempt: 5, error, context: undefined }])
    expect([onSucceeded.mock.calls, count('dead')]).toEqual([[], 1])
    await settle()
    expect(outcome).toHaveBeenCalledOnce()
  })

  test('keeps links of other hosts from `onUnknown`', async () => {
    const onUnknown = vi.fn()
    const { clock, deliver, notices } = openInbox({ onUnknown, ...hosts })
    const { completed_at: _, ...incomplete } = linked('https://evil.example.net/0.png')
    await deliver(incomplete)
    await clock.advance(MINUTE_MS)
    expect([onUnknown.mock.calls, notices.onDead.length]).toEqual([[], 1])
  })
})

test('a result that a poll found is reported once, although its handler fails', async () => {
  const onSucceeded = vi.fn(() => Promise.reject(new Error('no')))
  const { client } = jobsOf(() => SUCCEEDED_JOB)
  const { inbox, clock, notices, count } = openInbox({ client, onSucceeded })
  await inbox.expect(job_id, { pollInMs: 0, context: 'mine' })
  await clock.advance(10_000)
  expect(onSucceeded.mock.calls.length).toBeGreaterThan(1)
  expect(notices.onWebhookMissed).toEqual([{ jobId: job_id, event: SAID, context: 'mine' }])
  expect(count('reconciled')).toBe(1)
  await inbox.drain()
})
