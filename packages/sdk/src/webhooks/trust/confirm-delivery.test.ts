import { describe, expect, test, vi } from 'vitest'
import { NotFoundError, PermissionDeniedError } from '../../errors/api-errors.ts'
import { settle } from '../../testing/manual-clock.ts'
import { gate, jobsOf, openInbox, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'

const { job_id } = SUCCEEDED

const fail = (error: unknown) => () => {
  throw error
}
const notFound = new NotFoundError({ message: 'no such job', status: 404 })

/** When each call came, in milliseconds from the start. */
function timesOf(clock: { now(): number }) {
  const startedAt = clock.now()
  const times: number[] = []
  return { times, note: () => void times.push(clock.now() - startedAt) }
}

describe('a delivery of a job that still runs', () => {
  test('is confirmed by looks after 1, 2, 4, 8 and 16 s, and is then put back to be delivered or polled', async () => {
    const { client, calls } = jobsOf(() => ({ status: 'processing' }))
    const onSucceeded = vi.fn()
    const { clock, deliver, store, told } = openInbox({ client, onSucceeded })
    await deliver(SUCCEEDED)
    const counts: number[] = []
    for (const delayMs of [0, 1_000, 2_000, 4_000, 8_000, 16_000]) {
      await clock.advance(delayMs - 1)
      await clock.advance(1)
      counts.push(calls.length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6])
    expect(onSucceeded).not.toHaveBeenCalled()
    const record = await store.get(job_id)
    expect(record).toMatchObject({ state: 'expected', attempt: 0, dueInMs: 60_000, payload: undefined })
    expect(told.onHandlerError.map(({ retryInMs }) => retryInMs)).toEqual([
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      undefined,
    ])
    expect(told.onHandlerError.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    expect(String(told.onHandlerError[0]?.error)).toContain('says succeeded; the service says processing')
    expect(clock.timerCount).toBe(0)
  })

  test('runs its handler for the first time once it is confirmed', async () => {
    const states = ['processing', 'queued']
    const { client } = jobsOf(() => ({ ...SUCCEEDED_JOB, status: states.shift() ?? 'succeeded' }))
    const attempts: number[] = []
    const { clock, deliver } = openInbox({ client, onSucceeded: (_, { attempt }) => attempts.push(attempt) })
    await deliver(SUCCEEDED)
    await clock.advance(3_000)
    expect(attempts).toEqual([1])
  })
})

describe('a delivery of a job that the service does not know', () => {
  test('is forgotten after three looks', async () => {
    const { client, calls } = jobsOf(fail(notFound))
    const { clock, deliver, store } = openInbox({ client })
    await deliver(SUCCEEDED)
    await clock.advance(3_000)
    expect(calls).toHaveLength(3)
    await expect(store.get(job_id)).resolves.toBeUndefined()
    expect(clock.timerCount).toBe(0)
  })

  test('goes back to be polled when the job was expected', async () => {
    const { client } = jobsOf(fail(notFound))
    const { clock, deliver, store, inbox } = openInbox({ client })
    await inbox.expect(job_id)
    await deliver(SUCCEEDED)
    await clock.advance(3_000)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'expected', dueInMs: 60_000 })
  })

  test('costs no look for ten minutes after that', async () => {
    const { client, calls } = jobsOf(fail(notFound))
    const { clock, deliver, store } = openInbox({ client })
    await deliver(SUCCEEDED)
    await clock.advance(3_000)
    for (let minute = 0; minute < 9; minute++) {
      await deliver(SUCCEEDED)
      await clock.advance(60_000)
    }
    expect(calls).toHaveLength(3)
    await expect(store.get(job_id)).resolves.toBeUndefined()
    await clock.advance(60_000)
    await deliver(SUCCEEDED)
    await settle()
    expect(calls).toHaveLength(4)
  })

  test('costs looks all the same when its token is genuine', async () => {
    const { client, calls } = jobsOf(fail(notFound))
    const { clock, deliver, inbox } = openInbox({ client, secret: SECRET, publicUrl: 'https://app.example.com/hook' })
    const url = await inbox.callbackUrl()
    for (let time = 0; time < 2; time++) {
      await deliver(SUCCEEDED, url)
      await clock.advance(3_000)
    }
    expect(calls).toHaveLength(6)
  })
})

test('a service that refuses to show a job makes it a dead letter after 8 attempts', async () => {
  const { client, calls } = jobsOf(fail(new PermissionDeniedError({ message: 'not yours', status: 403 })))
  const onSucceeded = vi.fn()
  const { clock, deliver, told, inbox } = openInbox({ client, onSucceeded })
  const waited = inbox.waitFor(job_id).catch((error: unknown) => error)
  await deliver(SUCCEEDED)
  await clock.advance(127_000)
  expect(calls).toHaveLength(8)
  expect(onSucceeded).not.toHaveBeenCalled()
  expect(told.onDead).toMatchObject([{ jobId: job_id, attempt: 8, error: { message: 'not yours' } }])
  // What nobody confirmed is not shown to whoever waits.
  expect(await waited).toMatchObject({ name: 'JobLostError', jobId: job_id })
})

describe('deliveries without a genuine token', () => {
  test('cause at most 5 looks in a second', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { clock, deliver } = openInbox({ client })
    for (let n = 0; n < 30; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
    const counts: number[] = []
    for (let second = 0; second < 6; second++) {
      await clock.advance(second === 0 ? 0 : 1_000)
      counts.push(calls.length)
    }
    expect(counts).toEqual([5, 10, 15, 20, 25, 30])
  })

  test('wait in the store, not in memory, when there are too many; all are handled in the end', async () => {
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { clock, deliver, store } = openInbox({ client, onSucceeded })
    for (let n = 0; n < 200; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
    await settle()
    expect(await store.list('leased', { limit: 1_000 })).toHaveLength(55 - 5)
    expect(await store.list('retry', { limit: 1_000 })).toHaveLength(200 - 55)
    await clock.advance(120_000)
    expect(onSucceeded).toHaveBeenCalledTimes(200)
    // Waiting for its turn is no attempt, and no failure.
    expect(onSucceeded.mock.calls.every(([, { attempt }]) => attempt === 1)).toBe(true)
  })

  test('share a look at the same job', async () => {
    const { opened, open: answer } = gate()
    const { client, calls } = jobsOf(async () => {
      await opened
      return SUCCEEDED_JOB
    })
    const { deliver, count } = openInbox({ client })
    // Records of their own: one of the result, one for each unknown status.
    await Promise.all([deliver(SUCCEEDED), deliver({ job_id, status: 'a' }), deliver({ job_id, status: 'b' })])
    await settle()
    answer()
    await settle()
    expect(calls).toEqual([job_id])
    expect(count('completed')).toBe(3)
  })

  test('wait for no one when the token is genuine', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { deliver, inbox } = openInbox({ client, secret: SECRET, publicUrl: 'https://app.example.com/hook' })
    for (let n = 0; n < 30; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` }, await inbox.callbackUrl())
    await settle()
    expect(calls).toHaveLength(30)
  })
})

test('looks are counted on the clock of the inbox', async () => {
  const { client } = jobsOf(() => {
    note()
    return { status: 'processing' }
  })
  const { clock, deliver } = openInbox({ client })
  const { times, note } = timesOf(clock)
  await deliver(SUCCEEDED)
  await clock.advance(60_000)
  expect(times).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000])
})
