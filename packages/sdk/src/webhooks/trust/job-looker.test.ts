import type { Job } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { ApiError, AuthenticationError, NotFoundError, RateLimitError, ServerError } from '../../errors/api-errors.ts'
import { ConnectionError } from '../../errors/transport-errors.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { gate, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import { createJobLooker } from './job-looker.ts'

const fail = (error: unknown) => () => {
  throw error
}
const notFound = new NotFoundError({ message: 'no such job', status: 404 })

describe('a service that cannot be reached', () => {
  test.each([
    ['the network fails', new ConnectionError({ message: 'reset' })],
    ['it answers 503', new ServerError({ message: 'down', status: 503 })],
    ['another reader than ours throws', new Error('no')],
    ['the key is not accepted any more', new AuthenticationError({ message: 'revoked', status: 401 })],
    ['it answers 408', new ApiError({ message: 'too slow', status: 408 })],
  ])('makes no dead letter in an hour when %s, and the handler has all its attempts after it', async (_, error) => {
    let isDown = true
    const { client, calls } = jobsOf(() => {
      if (isDown) throw error
      return SUCCEEDED_JOB
    })
    const attempts: number[] = []
    const { clock, deliver, told } = openInbox({
      client,
      onSucceeded: (_, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error('the handler fails')
      },
    })
    await deliver(SUCCEEDED)
    await clock.advance(3_600_000)
    const looks = calls.length
    // Each wait is as long as the outage was, and at most 5 minutes (7.5 with the longest jitter).
    expect(looks).toBeGreaterThan(12)
    expect(looks).toBeLessThan(25)
    isDown = false
    await clock.advance(460_000)
    expect(attempts).toEqual([1, 2, 3])
    expect(told.onHandlerError[0]).toMatchObject({ error, attempt: 1 })
    expect(told.onDead).toEqual([])
    expect(clock.timerCount).toBe(0)
  })

  test.each([
    ['a job', () => SUCCEEDED_JOB],
    ['that there is no such job', fail(notFound)],
  ])('is asked again 1 s after a blip, when it answered an earlier outage with %s', async (_, recovered) => {
    const down = fail(new ConnectionError({ message: 'reset' }))
    let state: () => Job = down
    const { client, calls } = jobsOf(() => state())
    const { clock, deliver } = openInbox({ client, random: () => 0 })
    await deliver(SUCCEEDED)
    await clock.advance(1_800_000)
    state = recovered
    await clock.advance(600_000)
    state = down
    await deliver({ ...SUCCEEDED, job_id: 'job_2' })
    await settle()
    const looks = calls.length
    await clock.advance(999)
    expect(calls).toHaveLength(looks)
    await clock.advance(1)
    expect(calls).toHaveLength(looks + 1)
  })

  test('is asked again after what its 429 says', async () => {
    const { client, calls } = jobsOf(() => {
      if (calls.length > 1) return SUCCEEDED_JOB
      throw new RateLimitError({ message: 'slower', status: 429, retryAfterMs: 40_000 })
    })
    const { clock, deliver } = openInbox({ client, random: () => 0 })
    await deliver(SUCCEEDED)
    await clock.advance(39_999)
    expect(calls).toHaveLength(1)
    await clock.advance(1)
    expect(calls).toHaveLength(2)
  })
})

describe('looks at one job at the same time', () => {
  function openLooker() {
    const { opened, open: answer } = gate()
    const { client, calls } = jobsOf(async () => {
      await opened
      return SUCCEEDED_JOB
    })
    return { looker: createJobLooker(client, createManualClock()), calls, answer }
  }

  test('are one request', async () => {
    const { looker, calls, answer } = openLooker()
    const looks = [looker.look('job_1'), looker.look('job_1')]
    answer()
    await expect(Promise.all(looks)).resolves.toMatchObject([{ kind: 'job' }, { kind: 'job' }])
    expect(calls).toEqual(['job_1'])
    await looker.look('job_1')
    expect(calls).toHaveLength(2)
  })

  test('take no turns of other strangers', async () => {
    const { looker, calls, answer } = openLooker()
    const wait = () => Promise.reject(new Error('it had to wait'))
    const looks = Array.from({ length: 10 }, () => looker.lookForStranger('job_1', wait))
    looks.push(looker.lookForStranger('job_2', wait))
    answer()
    await Promise.all(looks)
    expect(calls).toEqual(['job_1', 'job_2'])
  })
})
