import { expect, test, vi } from 'vitest'
import { NotFoundError } from '../../errors/api-errors.ts'
import { settle } from '../../testing/manual-clock.ts'
import { jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'

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
  // One poll: what the service said is not asked again. The credits of an honest delivery are passed on.
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
  for (let second = 0; second < 6; second++) {
    await clock.advance(second === 0 ? 0 : 1_000)
    counts.push(calls.length)
  }
  expect(counts).toEqual([5, 10, 15, 20, 25, 30])
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
