import { describe, expect, test } from 'vitest'
import { ModelRun } from '../../client.ts'
import { DeadlineExceededError } from '../../errors/transport-errors.ts'
import type { ModelRunOptions } from '../../options.ts'
import { createManualClock } from '../../testing/manual-clock.ts'
import { type Simulation, simulateJobs } from '../../testing/simulated-jobs.ts'
import { API_KEY, BASE_URL } from '../../testing/test-client.ts'

function setup(simulation: Omit<Simulation, 'clock'>, options: ModelRunOptions = {}) {
  const clock = createManualClock()
  const service = simulateJobs({ clock, ...simulation })
  const defaults = { apiKey: API_KEY, baseUrl: BASE_URL, fetch: service.fetch, clock, random: () => 0.5 }
  const client = new ModelRun({ logLevel: 'off', ...defaults, ...options })
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `job_${index}`)
  return { clock, service, client, ids, startedAt: clock.now() }
}

const tooManyRequests = (headers: Record<string, string> = {}) =>
  Response.json({ error: { code: 'RATE_LIMITED', message: 'Too many requests' } }, { status: 429, headers })

describe('pauses of all waits of a client', () => {
  test('come all together after a 429, for as long as it asks', async () => {
    let isLimiting = true
    const rejectPoll = () => (isLimiting ? tooManyRequests({ 'retry-after': '30' }) : undefined)
    const { clock, service, client, ids, startedAt } = setup({ rejectPoll })
    const waits = ids(20).map((id) => client.jobs.wait(id))
    await clock.advance(5_000)
    const before = service.polls.length
    expect(before).toBeLessThanOrEqual(8)
    isLimiting = false
    await clock.advance(24_000)
    expect(service.polls).toHaveLength(before)
    await clock.run(Promise.all(waits))
    expect(service.polls[before]?.at).toBeGreaterThanOrEqual(startedAt + 30_000)
  })

  test('get longer each time when the service gives no `Retry-After`', async () => {
    const { clock, service, client } = setup({ rejectPoll: () => tooManyRequests(), latencyMs: 0 })
    const wait = client.jobs.wait('job_1', { deadlineMs: 100_000 }).catch((error: unknown) => error)
    expect(await clock.run(wait)).toBeInstanceOf(DeadlineExceededError)
    const gaps = service.polls.slice(1).map(({ at }, index) => at - (service.polls[index]?.at ?? 0))
    expect(gaps.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
  })

  test('come once for a burst of 429, not once for each of its polls', async () => {
    const rejectPoll = ({ at }: { at: number }) => (at < startedAt + 500 ? tooManyRequests() : undefined)
    const { clock, service, client, ids, startedAt } = setup(
      { rejectPoll, latencyMs: 600 },
      { polling: { maxRequestsPerSecond: 100 } },
    )
    const waits = ids(20).map((id) => client.jobs.wait(id))
    await clock.run(Promise.all(waits))
    expect(service.polls.filter((poll) => rejectPoll(poll))).toHaveLength(8)
    // The responses came at 0.6 s.
    expect((service.polls[8]?.at ?? 0) - startedAt).toBe(600 + 1_000 + 300)
  })

  test('come once for a burst of 429 of one moment', async () => {
    const rejectPoll = ({ at }: { at: number }) => (at === startedAt ? tooManyRequests() : undefined)
    const { clock, service, client, ids, startedAt } = setup({ rejectPoll, latencyMs: 0 })
    await clock.run(Promise.all(ids(8).map((id) => client.jobs.wait(id))))
    expect(service.polls[8]?.at).toBe(startedAt + 1_000)
  })

  test('last as long as the longest that a 429 of a burst asks for, whichever comes last', async () => {
    const rejectPoll = ({ jobId, at }: { jobId: string; at: number }) =>
      at < startedAt + 500 ? tooManyRequests({ 'retry-after': jobId === 'job_0' ? '30' : '2' }) : undefined
    const { clock, service, client, ids, startedAt } = setup({ rejectPoll })
    const waits = ids(3).map((id) => client.jobs.wait(id))
    await clock.run(Promise.all(waits))
    expect(service.polls).toHaveLength(6)
    expect(service.polls[3]?.at).toBeGreaterThanOrEqual(startedAt + 30_000)
  })

  test('start with a second again when a poll between two 429 went well', async () => {
    let count = 0
    const rejectPoll = () => ([0, 1, 3].includes(count++) ? tooManyRequests() : undefined)
    const { clock, service, client, startedAt } = setup(
      { rejectPoll, latencyMs: 0, endsAt: () => startedAt + 6_000 },
      { polling: { nextDelayMs: () => 100 } },
    )
    await clock.run(client.jobs.wait('job_1'))
    const times = service.polls.slice(0, 5).map(({ at }) => at - startedAt)
    expect(times).toEqual([0, 1_000, 3_000, 3_100, 4_100])
  })
})
