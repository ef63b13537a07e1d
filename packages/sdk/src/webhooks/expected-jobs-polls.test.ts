import type { Job } from '@modelrun/contract'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  gate,
  jobsOf,
  openInbox,
  openStartedInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'
import { ConnectionError } from '../client/errors/transport-errors.ts'

const { job_id } = SUCCEEDED
const MINUTE_MS = 60_000
const notFound = () => {
  throw new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
}

const unreachable = () => {
  throw new ConnectionError({ message: 'reset' })
}

describe('an expected job', () => {
  test('whose delivery does not come is polled, and handled as if it had come', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, notices } = openStartedInbox(() => SUCCEEDED_JOB, { onSucceeded })
    await inbox.expect(job_id, { context: 'mine' })
    await clock.advance(MINUTE_MS)
    const event = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }
    expect(onSucceeded.mock.calls).toMatchObject([[event, { source: 'poll', context: 'mine', attempt: 1 }]])
    expect(notices.onWebhookMissed).toEqual([{ jobId: job_id, event, context: 'mine' }])
    await inbox.drain()
  })

  test('whose delivery came is not polled, and its late delivery is not handled again', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver, calls, notices } = openStartedInbox(() => SUCCEEDED_JOB, { onSucceeded })
    await inbox.expect(job_id)
    await deliver(SUCCEEDED)
    await settle()
    const polls = calls.length
    await clock.advance(10 * MINUTE_MS)
    expect(calls).toHaveLength(polls)
    expect(notices.onWebhookMissed).toEqual([])
    await deliver(SUCCEEDED)
    await clock.advance(MINUTE_MS)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
  })

  test.each<[string, () => Job]>([
    ['finds it running', () => ({ status: 'processing' })],
    ['does not find it', notFound],
    ['fails', unreachable],
  ])('whose delivery comes during a poll that %s is handled at once', async (_, state) => {
    const { opened, open } = gate()
    let isDelivered = false
    const { client, calls } = jobsOf(async () => {
      if (isDelivered) return SUCCEEDED_JOB
      await opened
      return state()
    })
    const { inbox, deliver, handled, clock } = openInbox({ client, secret: SECRET, publicUrl: PUBLIC_URL })
    inbox.start()
    await inbox.expect(job_id, { pollInMs: 0 })
    await clock.advance(0)
    expect(calls).toHaveLength(1)
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    isDelivered = true
    open()
    await clock.advance(1)
    expect([handled(), calls.length]).toEqual([1, 2])
    await inbox.drain()
  })
})

test('expected jobs are polled at most 10 times in a second', async () => {
  const { inbox, clock, times } = openStartedInbox(() => SUCCEEDED_JOB)
  for (let n = 0; n < 40; n++) await inbox.expect(`job_${n}`, { pollInMs: 0 })
  await clock.advance(5_000)
  expect(times).toHaveLength(40)
  for (const time of times) {
    expect(times.filter((other) => other >= time && other < time + 1_000).length).toBeLessThanOrEqual(10)
  }
  await inbox.drain()
})
