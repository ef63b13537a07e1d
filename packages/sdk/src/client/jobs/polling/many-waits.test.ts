import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aborted } from '../../../../test/aborted.ts'
import { createSimulatedClient } from '../../../../test/simulated-jobs.ts'
import { AbortedError, DeadlineExceededError } from '../../errors/transport-errors.ts'

/** The highest number of polls in any second. */
function highestRate(polls: readonly { at: number }[]): number {
  return Math.max(...polls.map(({ at: from }) => polls.filter(({ at }) => at >= from && at < from + 1_000).length))
}

describe('many waits of one client', () => {
  test('keep the rate, end with each job, and leave nothing behind, whatever the jobs are like', async () => {
    const jobs = fc.array(fc.nat({ max: 120_000 }), { minLength: 1, maxLength: 60 })
    const rate = fc.integer({ min: 1, max: 40 })
    await fc.assert(
      fc.asyncProperty(jobs, rate, fc.nat({ max: 400 }), async (durations, maxRequestsPerSecond, latencyMs) => {
        const endsAt = (id: string) => durations[Number(id.slice(4))] ?? 0
        const polling = { maxRequestsPerSecond }
        const { clock, service, client, ids } = createSimulatedClient({ endsAt, latencyMs }, { polling })
        const waits = ids(durations.length).map((id) =>
          client.jobs.attach(id).result({ deadlineMs: Number.POSITIVE_INFINITY }),
        )
        await clock.run(Promise.all(waits))
        expect(highestRate(service.polls)).toBeLessThanOrEqual(maxRequestsPerSecond)
        expect(service.maxInFlight).toBeLessThanOrEqual(8)
        expect(clock.timerCount).toBe(0)
        // One poll finds a job finished, and it is the last one.
        const late = service.polls.filter(({ jobId, at }) => at >= endsAt(jobId)).map(({ jobId }) => jobId)
        expect(late.toSorted()).toEqual(ids(durations.length).toSorted())
      }),
      { numRuns: 40 },
    )
  })

  test('are fair: a job is polled again only after all that were due before it', async () => {
    const { clock, service, client, ids } = createSimulatedClient(
      { endsAt: () => 60_000 },
      { polling: { maxRequestsPerSecond: 5 } },
    )
    const waits = ids(50).map((id) => client.jobs.attach(id).result())
    await clock.advance(20_000)
    const order = service.polls.map(({ jobId }) => jobId)
    expect(order.slice(0, 50)).toEqual(ids(50))
    expect(order.slice(50, 100)).toEqual(ids(50))
    await clock.run(Promise.all(waits))
  })

  test('poll the job that is due first, not the one that was added first', async () => {
    const { clock, service, client } = createSimulatedClient({ endsAt: () => 20_000 })
    const first = client.jobs.attach('job_old').result()
    await clock.advance(7_500)
    const second = client.jobs.attach('job_young').result()
    await clock.advance(2_000)
    const young = service.polls.filter(({ jobId }) => jobId === 'job_young')
    expect(young.length).toBeGreaterThan(2)
    await clock.run(Promise.all([first, second]))
  })

  test('of one job poll each for itself, and see each of its states', async () => {
    const { clock, service, client } = createSimulatedClient({ endsAt: () => 60_000 })
    const wait = client.jobs.attach('job_1').result()
    await clock.advance(100)
    const updates = client.jobs.attach('job_1').updates()
    expect((await clock.run(updates.next())).value).toEqual({ status: 'processing' })
    expect(service.polls).toHaveLength(2)
    await updates.return()
    await clock.run(wait)
  })

  test('continue when one of them leaves', async () => {
    const { clock, client } = createSimulatedClient({ endsAt: () => 5_000 })
    const staying = client.jobs.attach('job_1').result()
    await aborted((signal) => client.jobs.attach('job_1').result({ signal }))
    await expect(clock.run(staying)).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('end by one signal all at once, with no listener, timer or request left', async () => {
    const { clock, service, client, ids } = createSimulatedClient({ endsAt: () => Number.POSITIVE_INFINITY })
    const controller = new AbortController()
    const { signal } = controller
    const waits = ids(10_000).map((id) => client.jobs.attach(id).result({ signal }))
    await clock.advance(500)
    // One for all deadlines and the next poll, the others of the polls that are under way.
    expect(clock.timerCount).toBeLessThan(20)
    expect(clock.startedCount).toBeLessThan(100)
    controller.abort()
    const ended = await Promise.allSettled(waits)
    expect(ended.every((one) => one.status === 'rejected' && one.reason instanceof AbortedError)).toBe(true)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const before = service.polls.length
    await clock.advance(60_000)
    expect(service.polls).toHaveLength(before)
    expect(clock.timerCount).toBe(0)
  })

  test('end each at its own deadline', async () => {
    const { clock, client, ids } = createSimulatedClient({ endsAt: () => Number.POSITIVE_INFINITY })
    const ends = ids(20).map(async (id, index) => {
      const error: unknown = await client.jobs
        .attach(id)
        .result({ deadlineMs: (20 - index) * 777 })
        .catch((reason) => reason)
      expect(error).toBeInstanceOf(DeadlineExceededError)
      return clock.elapsedMs()
    })
    expect(await clock.run(Promise.all(ends))).toEqual(ids(20).map((_, index) => (20 - index) * 777))
    // The service takes a moment to notice that a poll was given up.
    await clock.advance(60)
    expect(clock.timerCount).toBe(0)
  })
})

describe('an interval of the caller', () => {
  test('gets what is known, and decides', async () => {
    const seen: unknown[] = []
    const nextDelayMs = (context: { ageMs: number; polls: number; defaultDelayMs: number }) => {
      seen.push(context)
      return 1_000
    }
    const { clock, service, client } = createSimulatedClient(
      { endsAt: () => 2_500, latencyMs: 0 },
      { polling: { nextDelayMs } },
    )
    await clock.run(client.jobs.attach('job_1').result())
    expect(service.polls.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 3_000])
    const known = { jobId: 'job_1', status: 'processing', ageMs: 1_000, polls: 2, isWatched: false, hasWebhook: false }
    expect(seen[1]).toEqual({ ...known, modelId: undefined, expected: undefined, defaultDelayMs: 600 })
  })

  test('can stop the polls of a job: its wait ends at the deadline', async () => {
    const { clock, service, client } = createSimulatedClient(
      { endsAt: () => Number.POSITIVE_INFINITY },
      { polling: { nextDelayMs: () => Number.POSITIVE_INFINITY } },
    )
    await expect(clock.run(client.jobs.attach('job_1').result())).rejects.toBeInstanceOf(DeadlineExceededError)
    expect(service.polls).toHaveLength(1)
  })
})

describe('what a client has learnt of a model', () => {
  test('saves polls: the first one comes when jobs are expected to end', async () => {
    const submittedAt = new Map<string, number>()
    const { clock, service, client } = createSimulatedClient({
      endsAt: (id) => (submittedAt.get(id) ?? 0) + 40_000,
    })
    const counts: number[] = []
    for (let run = 0; run < 10; run++) {
      const before = service.polls.length
      const job = await clock.run(client.submit('aurora-image', {}))
      submittedAt.set(job.id, clock.elapsedMs())
      await clock.run(job.result())
      counts.push(service.polls.length - before)
    }
    expect(counts[0]).toBeGreaterThan(15)
    expect(counts[9]).toBeLessThanOrEqual(8)
  })

  test('is nothing of a job that was not polled from its start; its age counts from its submission all the same', async () => {
    const seen: { ageMs: number; expected: unknown }[] = []
    const nextDelayMs = (context: (typeof seen)[number] & { defaultDelayMs: number }) => {
      seen.push(context)
      return context.defaultDelayMs
    }
    const simulation = { endsAt: () => 20_000, latencyMs: 0 }
    const { clock, service, client } = createSimulatedClient(simulation, { polling: { nextDelayMs } })
    const job = await clock.run(client.submit('aurora-image', {}))
    await clock.advance(9_000)
    await clock.run(job.result())
    expect([seen[0]?.ageMs, service.polls[0]?.at, seen[1]?.ageMs]).toEqual([0, 9_000, 9_000])
    await clock.run(client.run('aurora-image', {}, { mode: 'async' }))
    expect(seen.at(-1)?.expected).toBeUndefined()
  })
})
