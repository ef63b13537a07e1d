import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { openCore, storedDelivery, taskOf } from '../../../test/test-core.ts'
import { jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../../test/test-inbox.ts'
import { ApiError, NotFoundError, ServerError } from '../../client/errors/api-errors.ts'
import { checkUnverified, createMissingJobs } from './check-unverified.ts'

const { job_id } = SUCCEEDED
const fail = () => {
  throw new NotFoundError({ message: 'no such job', status: 404 })
}

test('a delivery without a token is handled once the service says the same', async () => {
  const { client, calls } = jobsOf(() => ({ ...SUCCEEDED_JOB, output: SUCCEEDED.output }))
  const onSucceeded = vi.fn()
  const { deliver } = openInbox({ client, onSucceeded })
  await deliver(SUCCEEDED)
  await settle()
  // One poll: what the service said is not asked again. The credits of a confirmed delivery are passed on.
  expect(calls).toEqual([job_id])
  expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { source: 'webhook', attempt: 1 }]])
})

test('a delivery of a job that runs has the job expected: its result is found without another delivery', async () => {
  let job = { status: 'processing' } as typeof SUCCEEDED_JOB
  const { client } = jobsOf(() => job)
  const onSucceeded = vi.fn()
  const { deliver, clock, inbox } = openInbox({ client, onSucceeded })
  inbox.start()
  await deliver(SUCCEEDED)
  await settle()
  job = SUCCEEDED_JOB
  await clock.advance(61_000)
  expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { source: 'poll' }]])
  await inbox.drain()
})

test('a delivery of a job that the service does not have is dropped after three polls, for ten minutes', async () => {
  const { client, calls } = jobsOf(fail)
  const onSucceeded = vi.fn()
  const { deliver, clock, count } = openInbox({ client, onSucceeded })
  await deliver(SUCCEEDED)
  await clock.advance(3_000)
  expect(calls).toHaveLength(3)
  for (let minute = 0; minute < 9; minute++) {
    await deliver(SUCCEEDED)
    await clock.advance(60_000)
  }
  expect(calls).toHaveLength(3)
  expect(count('rejected')).toBe(1)
  await clock.advance(60_000)
  await deliver(SUCCEEDED)
  await settle()
  expect(calls).toHaveLength(4)
  expect(onSucceeded).not.toHaveBeenCalled()
})

test('deliveries without a token cause at most 5 polls in a second; all are handled in the end', async () => {
  const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
  const onSucceeded = vi.fn()
  const { clock, deliver } = openInbox({ client, onSucceeded })
  for (let n = 0; n < 30; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
  const counts: number[] = []
  for (let second = 0; second < 8; second++) {
    await clock.advance(second === 0 ? 0 : 1_000)
    counts.push(calls.length)
  }
  expect(counts).toEqual([1, 5, 10, 15, 20, 25, 29, 30])
  expect(onSucceeded).toHaveBeenCalledTimes(30)
  expect(onSucceeded.mock.calls.every(([, { attempt }]) => attempt === 1)).toBe(true)
})

test('a duplicate of a job that is done costs no poll', async () => {
  const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
  const { clock, deliver } = openInbox({ client })
  for (let time = 0; time < 5; time++) {
    await deliver(SUCCEEDED)
    await clock.advance(2_000)
  }
  expect(calls).toEqual([job_id])
})

test('a job that was expected needs no turn: its delivery is confirmed at once', async () => {
  const { client, calls } = jobsOf((id) => (id === job_id ? SUCCEEDED_JOB : fail()))
  const { deliver, inbox, count } = openInbox({ client })
  await inbox.expect(job_id)
  for (let n = 0; n < 30; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
  await deliver(SUCCEEDED)
  await settle()
  expect(calls).toContain(job_id)
  expect(count('completed')).toBe(1)
})

describe('an unverified delivery', () => {
  const TASK_ID = 'random'

  function openCheck(state: Parameters<typeof jobsOf>[0], data: object = storedDelivery({ token: 'none' })) {
    const { client, calls } = jobsOf(state)
    const harness = openCore({ client, expectedAfterMs: 5_000 })
    const missing = createMissingJobs(harness.clock)
    const check = (attempt = 1) => checkUnverified(harness.core, taskOf(TASK_ID, data, { attempt }), missing)
    return { ...harness, calls, missing, check }
  }

  test('whose job has ended continues as confirmed, with what the service says', async () => {
    const { check, engine } = openCheck(() => SUCCEEDED_JOB)
    await expect(check()).resolves.toBeUndefined()
    await expect(engine.task('results', job_id)).resolves.toMatchObject({
      data: { source: 'webhook', token: 'none', isConfirmed: true, event: { job_id, output: SUCCEEDED_JOB.output } },
    })
    await expect(engine.task('expected', job_id)).resolves.toBeUndefined()
  })

  test('whose job runs has the job expected from now on, for as long as the user says', async () => {
    const { check, core, clock, engine } = openCheck(() => ({ status: 'processing' }))
    await check()
    await expect(engine.task('results', job_id)).resolves.toBeUndefined()
    await expect(engine.task('expected', job_id)).resolves.toMatchObject({ data: { notedAt: clock.now() } })
    const worked = vi.fn(async () => undefined)
    const worker = core.queues.expected.work(worked, {})
    await clock.advance(4_999)
    expect(worked).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(worked).toHaveBeenCalledOnce()
    await worker.stop()
  })

  test('waits while the service is away', async () => {
    const { check, missing, count } = openCheck(() => {
      throw new ServerError({ message: 'down', status: 503 })
    })
    await expect(check(3)).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 1_000 })
    expect([missing.has(job_id), count('rejected')]).toEqual([false, 0])
  })

  test('whose job the service does not have is polled three times, then dropped', async () => {
    const { check, missing, metrics } = openCheck(fail)
    for (const attempt of [1, 2]) await expect(check(attempt)).rejects.toThrow('no such job')
    expect([missing.has(job_id), metrics]).toEqual([false, []])
    await expect(check(3)).resolves.toBeUndefined()
    expect(missing.has(job_id)).toBe(true)
    expect(metrics).toEqual([{ name: 'rejected', value: 1, jobId: job_id }])
  })

  test('whose job id the service rejects is dropped at once', async () => {
    const { check, missing, count } = openCheck(() => {
      throw new ApiError({ message: 'bad id', status: 400 })
    })
    await expect(check()).resolves.toBeUndefined()
    expect([missing.has(job_id), count('rejected')]).toEqual([true, 1])
  })

  test('of a job that was missing a moment ago, or whose result is known, costs no poll', async () => {
    const first = openCheck(() => SUCCEEDED_JOB)
    first.missing.add(job_id)
    await first.check()
    const second = openCheck(() => SUCCEEDED_JOB)
    await second.core.queues.results.add(job_id, {})
    await second.check()
    expect([first.calls, second.calls]).toEqual([[], []])
  })

  test('that an older version wrote and this one cannot read is dropped', async () => {
    const { check, calls } = openCheck(() => SUCCEEDED_JOB, { old: true })
    await expect(check()).resolves.toBeUndefined()
    expect(calls).toEqual([])
  })

  test('is dropped by a process without a client, which can confirm nothing', async () => {
    const { core, clock, engine } = openCore()
    const task = taskOf(TASK_ID, storedDelivery({ token: 'none' }))
    await expect(checkUnverified(core, task, createMissingJobs(clock))).resolves.toBeUndefined()
    await expect(engine.task('results', job_id)).resolves.toBeUndefined()
  })
})
