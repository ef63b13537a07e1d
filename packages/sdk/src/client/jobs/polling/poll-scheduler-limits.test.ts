import { describe, expect, test } from 'vitest'
import { caught } from '../../../../test/caught.ts'
import { createSimulatedClient } from '../../../../test/simulated-jobs.ts'
import { DeadlineExceededError } from '../../errors/transport-errors.ts'

const tooManyRequests = (headers: Record<string, string> = {}) =>
  Response.json({ error: { code: 'RATE_LIMITED', message: 'Too many requests' } }, { status: 429, headers })

describe('pauses of all waits of a client', () => {
  test('come all together after a 429, for as long as it asks', async () => {
    let isLimiting = true
    const rejectPoll = () => (isLimiting ? tooManyRequests({ 'retry-after': '30' }) : undefined)
    const { clock, service, client, ids } = createSimulatedClient({ rejectPoll })
    const waits = ids(20).map((id) => client.jobs.attach(id).result())
    await clock.advance(5_000)
    const before = service.polls.length
    expect(before).toBeLessThanOrEqual(8)
    isLimiting = false
    await clock.advance(24_000)
    expect(service.polls).toHaveLength(before)
    await clock.run(Promise.all(waits))
    expect(service.polls[before]?.at).toBeGreaterThanOrEqual(30_000)
  })

  test('get longer each time when the service gives no `Retry-After`', async () => {
    const { clock, service, client } = createSimulatedClient({ rejectPoll: () => tooManyRequests(), latencyMs: 0 })
    await caught(clock.run(client.jobs.attach('job_1').result({ deadlineMs: 100_000 })), DeadlineExceededError)
    const gaps = service.polls.slice(1).map(({ at }, index) => at - (service.polls[index]?.at ?? 0))
    expect(gaps.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
  })

  test('come once for a burst of 429, not once for each of its polls', async () => {
    const rejectPoll = ({ at }: { at: number }) => (at < 500 ? tooManyRequests() : undefined)
    const { clock, service, client, ids } = createSimulatedClient(
      { rejectPoll, latencyMs: 600 },
      { polling: { maxRequestsPerSecond: 100 } },
    )
    const waits = ids(20).map((id) => client.jobs.attach(id).result())
    await clock.run(Promise.all(waits))
    expect(service.polls.filter((poll) => rejectPoll(poll))).toHaveLength(8)
    // The responses came at 0.6 s.
    expect(service.polls[8]?.at).toBe(600 + 1_000 + 300)
  })

  test('come once for a burst of 429 of one moment', async () => {
    const rejectPoll = ({ at }: { at: number }) => (at === 0 ? tooManyRequests() : undefined)
    const { clock, service, client, ids } = createSimulatedClient({ rejectPoll, latencyMs: 0 })
    await clock.run(Promise.all(ids(8).map((id) => client.jobs.attach(id).result())))
    expect(service.polls[8]?.at).toBe(1_000)
  })

  test('last as long as the longest that a 429 of a burst asks for, whichever comes last', async () => {
    const rejectPoll = ({ jobId, at }: { jobId: string; at: number }) =>
      at < 500 ? tooManyRequests({ 'retry-after': jobId === 'job_0' ? '30' : '2' }) : undefined
    const { clock, service, client, ids } = createSimulatedClient({ rejectPoll })
    const waits = ids(3).map((id) => client.jobs.attach(id).result())
    await clock.run(Promise.all(waits))
    expect(service.polls).toHaveLength(6)
    expect(service.polls[3]?.at).toBeGreaterThanOrEqual(30_000)
  })

  test('start with a second again when a poll between two 429 went well', async () => {
    let count = 0
    const rejectPoll = () => ([0, 1, 3].includes(count++) ? tooManyRequests() : undefined)
    const { clock, service, client } = createSimulatedClient(
      { rejectPoll, latencyMs: 0, endsAt: () => 6_000 },
      { polling: { nextDelayMs: () => 100 } },
    )
    await clock.run(client.jobs.attach('job_1').result())
    const times = service.polls.slice(0, 5).map(({ at }) => at)
    expect(times).toEqual([0, 1_000, 3_000, 3_100, 4_100])
  })
})

describe('the trouble of one job', () => {
  const day = { 'retry-after': '86400' }

  test('slows that job alone: the others wait for a minute at most, and the error names the pause', async () => {
    const { clock, service, client } = createSimulatedClient({
      rejectPoll: ({ jobId }) => (jobId === 'job_bad' ? tooManyRequests(day) : undefined),
    })
    const bad = caught(client.jobs.attach('job_bad').result(), DeadlineExceededError)
    await clock.advance(100)
    await clock.run(client.jobs.attach('job_good').result())
    expect(clock.elapsedMs()).toBeLessThanOrEqual(62_000)
    const error = await clock.run(bad)
    expect(error.message).toContain('the service had asked for no poll in the next')
    expect(error.cause).toMatchObject({ status: 429, retryAfterMs: 86_400_000 })
    expect(service.polls.filter(({ jobId }) => jobId === 'job_bad')).toHaveLength(1)
  })

  test('does not stop the polls of others when its polls get no response', async () => {
    const { clock, service, client: simulated, ids } = createSimulatedClient()
    const fetch: typeof globalThis.fetch = (input, init) =>
      String(input).includes('job_good') ? service.fetch(input, init) : new Promise(() => {})
    const client = simulated.withOptions({ fetch })
    const hung = Promise.allSettled(ids(20).map((id) => client.jobs.attach(id).result()))
    await clock.advance(2_100)
    await clock.run(client.jobs.attach('job_good').result())
    // 20 polls that hang leave a place as soon as the oldest ones have taken 5 s.
    expect(clock.elapsedMs()).toBeLessThan(12_000)
    await clock.run(hung)
    expect(clock.timerCount).toBe(0)
  })

  test('never has more than 32 polls under way, however many get no response', async () => {
    let inFlight = 0
    let most = 0
    const fetch: typeof globalThis.fetch = (_input, init) => {
      most = Math.max(most, ++inFlight)
      init?.signal?.addEventListener('abort', () => inFlight--)
      return new Promise(() => {})
    }
    const { clock, client, ids } = createSimulatedClient({}, { fetch, polling: { maxRequestsPerSecond: 100 } })
    const waits = ids(200).map((id) => client.jobs.attach(id).result({ deadlineMs: 100_000 }))
    await clock.run(Promise.allSettled(waits))
    expect(most).toBe(32)
  })
})

test('more waits than the rate allows end at a deadline of the caller, and the error says that the job was never polled', async () => {
  const { clock, client, ids } = createSimulatedClient({ endsAt: () => 60_000 })
  const waits = ids(200).map((id) => client.jobs.attach(id).result({ deadlineMs: 10_000 }))
  const ends = await clock.run(Promise.allSettled(waits))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []))
  expect([errors.length, clock.elapsedMs()]).toEqual([200, 10_000])
  const never = errors.filter(({ message }) => message.includes('it was never polled, because 200 jobs share 10 polls'))
  expect(never.length).toBeGreaterThan(90)
  expect(never[0]).toMatchObject({ message: expect.stringContaining('raise `polling.maxRequestsPerSecond`') })
})
