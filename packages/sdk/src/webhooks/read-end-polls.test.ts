import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { gate, jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import {
  ApiError,
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from '../client/errors/api-errors.ts'
import { ConnectionError, InvalidResponseError } from '../client/errors/transport-errors.ts'
import { GATEWAY_REJECTION } from '../client/http/status-policy.ts'
import { createLane } from './inbox-core.ts'
import { pollJob } from './read-end.ts'

const fail = (error: unknown) => () => {
  throw error
}

const OUTAGES: [string, unknown][] = [
  ['the network fails', new ConnectionError({ message: 'reset' })],
  ['the service responds 503', new ServerError({ message: 'down', status: 503 })],
  ['the service responds 500', new ServerError({ message: 'broken', status: 500 })],
  ['another reader than ours throws', new Error('no')],
  ['the key is not accepted any more (401)', new AuthenticationError({ message: 'revoked', status: 401 })],
  ['the key lacks the permission (403)', new PermissionDeniedError({ message: 'not yours', status: 403 })],
  ['the service responds 408', new ApiError({ message: 'too slow', status: 408 })],
  ['a gateway responds with a page of its own (200)', new InvalidResponseError({ message: 'HTML', status: 200 })],
  ['a gateway redirects to a page of its own (302)', new InvalidResponseError({ message: 'moved', status: 302 })],
  ...[400, 404, 405, 410].map((status): [string, unknown] => [
    `a gateway responds with a page of its own (${status})`,
    new ApiError({ message: 'page', status }),
  ]),
  [
    'the proxy passes on that a gateway rejects',
    new NotFoundError({ message: 'page', status: 404, apiCode: GATEWAY_REJECTION }),
  ],
  ['the service responds 429', new RateLimitError({ message: 'slower', status: 429, retryAfterMs: 1_000 })],
  ['a Retry-After is a day', new RateLimitError({ message: 'slower', status: 429, retryAfterMs: 86_400_000 })],
]

test.each(OUTAGES)(
  'an outage of the service makes no dead letter in an hour when %s, and the handler has all its attempts after it',
  async (_, error) => {
    let isDown = true
    const { client, calls } = jobsOf(() => {
      if (isDown) throw error
      return SUCCEEDED_JOB
    })
    const attempts: number[] = []
    const { clock, deliver, inbox, notices } = openInbox({
      client,
      secret: SECRET,
      publicUrl: PUBLIC_URL,
      onSucceeded: (_, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error('the handler fails')
      },
    })
    await deliver(SUCCEEDED, await inbox.callbackUrl())
    await inbox.expect('job_expected', { pollInMs: 3_600_000 })
    await clock.advance(3_599_999)
    // Each wait is twice as long as the one before, and at most 5 minutes.
    expect(calls.length).toBeGreaterThanOrEqual(12)
    expect(calls.length).toBeLessThan(25)
    isDown = false
    await clock.advance(310_000)
    expect(attempts.toSorted()).toEqual([1, 1, 2, 2, 3, 3])
    expect(notices.onDead).toEqual([])
  },
)

describe('a lane', () => {
  const open = () => {
    const clock = createManualClock()
    return { clock, lane: createLane(clock) }
  }

  test('lets a poll start each 100 ms, and gives each other poll its turn once', async () => {
    const { clock, lane } = open()
    const poll = async () => 'polled'
    await expect(lane.poll('a', poll)).resolves.toBe('polled')
    for (const [id, delayMs] of [
      ['b', 100],
      ['c', 200],
    ] as const) {
      await expect(lane.poll(id, poll)).rejects.toMatchObject({ name: 'RetryAfterError', delayMs })
    }
    await clock.advance(100)
    await expect(lane.poll('b', poll)).resolves.toBe('polled')
    await expect(lane.poll('d', poll)).rejects.toMatchObject({ delayMs: 200 })
    await clock.advance(100)
    await expect(lane.poll('c', poll)).resolves.toBe('polled')
  })

  test('polls three jobs at once at most, and frees the place of a poll that fails', async () => {
    const { clock, lane } = open()
    const { opened, open: respond } = gate()
    const polls: Promise<unknown>[] = []
    for (const id of ['a', 'b', 'c']) {
      polls.push(lane.poll(id, () => opened))
      await clock.advance(100)
    }
    const rejected = expect(lane.poll('d', () => opened)).rejects.toMatchObject({ delayMs: 300 })
    await rejected
    respond()
    await Promise.all(polls)
    await expect(lane.poll('d', fail(new Error('no')))).rejects.toThrow('no')
    await clock.advance(100)
    await expect(lane.poll('e', async () => 1)).resolves.toBe(1)
  })
})

test.each<[string, unknown, number]>([
  ['a key without the permission', new PermissionDeniedError({ message: 'no jobs:read', status: 403 }), 1],
  ['a function `apiKey` that fails', new ConfigurationError({ message: 'no jobs:read' }), 1],
  ['a page', new InvalidResponseError({ message: 'no jobs:read', status: 200 }), 1],
  ['a service that is down', new ServerError({ message: 'down', status: 503, isRetryable: true }), 0],
  ['no network', new ConnectionError({ message: 'refused', isRetryable: true }), 0],
])('an inbox that cannot read jobs for %s warns as often as it helps, once or never', async (_, error, times) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { clock, deliver, inbox } = openInbox({
    client: jobsOf(fail(error)).client,
    secret: SECRET,
    publicUrl: PUBLIC_URL,
  })
  for (const job_id of ['job_1', 'job_2']) await deliver({ ...SUCCEEDED, job_id }, await inbox.callbackUrl())
  await clock.advance(3_600_000)
  expect(warn.mock.calls.filter(([line]) => String(line).endsWith('no jobs:read'))).toHaveLength(times)
})

test('a poll that stalls leaves its place to other jobs after five seconds, and later after more', async () => {
  const clock = createManualClock()
  for (const deadlineMs of [5_000, 10_000]) {
    const polled = pollJob(jobsOf(() => new Promise(() => {})).client, 'job_1', { clock, deadlineMs })
    await clock.advance(deadlineMs)
    await expect(polled).resolves.toMatchObject({ kind: 'unreachable' })
  }
})
