import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import type { ClockSetting } from '../clock/create-clock.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { Snapshot } from './snapshot-schema.ts'

const PRICE = 4

/** The clock of the machine moves on with every reading of it, as it does between two lines of a program. */
function moveWithEveryReading(stepMs: number): void {
  let now = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += stepMs
    return now
  })
}

/** A server with jobs that end soon after each other. */
async function serverWith(clock: ClockSetting, latencies: readonly number[]): Promise<ReferenceServer> {
  const server = createReferenceServer({ clock, deliver: async () => new Response(), assumptions: { queuedMs: 0 } })
  const outcomes = latencies.map((after_ms, index) => ({
    result: index % 4 === 0 ? ('failed' as const) : ('succeeded' as const),
    after_ms,
  }))
  server.script('aurora-image', outcomes)
  const { run } = apiCaller(server)
  for (const index of latencies.keys()) {
    await run('aurora-image', index % 3 === 0 ? { webhook_url: 'http://receiver.test/' } : { sync: false })
  }
  return server
}

/** What must be true of every snapshot, whenever it was taken. */
function check(snapshot: Snapshot, jobs: number): void {
  expect(new Set(snapshot.jobs.map(({ id }) => id)).size).toBe(snapshot.jobs.length)
  expect(snapshot.jobs).toHaveLength(jobs)
  const succeeded = snapshot.jobs.filter(({ end }) => end?.status === 'succeeded')
  expect(snapshot.accounts[0]?.credits.charged).toBe(PRICE * succeeded.length)
  for (const { end, endsAt } of snapshot.jobs) expect(end?.at ?? endsAt).toBeDefined()
  for (const { end } of snapshot.jobs) expect(end?.at ?? 0).toBeLessThanOrEqual(snapshot.time)
  const other = createReferenceServer({ clock: 'manual' })
  other.restore(snapshot)
  expect(
    other
      .snapshot()
      .jobs.map(({ id }) => id)
      .toSorted(),
  ).toEqual(snapshot.jobs.map(({ id }) => id).toSorted())
}

describe('a snapshot', () => {
  afterEach(() => vi.restoreAllMocks())

  it('is of one moment, although the clock moves on while it is taken', async () => {
    const clocks = fc.constantFrom<ClockSetting>('system', { scale: 7 }, 'manual', 'auto')
    const latencies = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 })
    const property = fc.asyncProperty(
      clocks,
      latencies,
      fc.integer({ min: 1, max: 5 }),
      async (clock, times, stepMs) => {
        moveWithEveryReading(stepMs)
        const server = await serverWith(clock, times)
        for (let count = 0; count < 8; count++) {
          check(server.snapshot(), times.length)
          server.restore(server.snapshot())
        }
        await server.close()
        vi.restoreAllMocks()
      },
    )
    await fc.assert(property, { numRuns: 15 })
  })

  it('holds a job whose receiver takes it while the job ends', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const taken: Snapshot[] = []
    server.webhooks.deliver(() => {
      taken.push(server.snapshot())
      return new Response()
    })
    await apiCaller(server).run('aurora-image', { webhook_url: 'http://receiver.test/' })
    await server.clock.advance(60_000)
    expect(taken).toHaveLength(1)
    for (const snapshot of taken) check(snapshot, 1)
  })

  it('leaves out a pending delivery when its job is no longer stored', async () => {
    const server = createReferenceServer({ clock: 'manual', retention: { finishedJobs: 1 } })
    server.webhooks.script({ delay_ms: 60_000 })
    const { run } = apiCaller(server)
    await run('aurora-image', { webhook_url: 'http://receiver.test/' })
    await run('aurora-image', { webhook_url: 'http://receiver.test/' })
    await server.clock.advance(30_000)
    const snapshot = server.snapshot()
    expect([snapshot.jobs.length, snapshot.pendingDeliveries.length]).toEqual([1, 1])
    expect(() => createReferenceServer({ clock: 'manual' }).restore(snapshot)).not.toThrow()
  })

  it('keeps which deliveries are unread in a server that keeps fewer of them', async () => {
    const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
    const { run } = apiCaller(server)
    const ids: unknown[] = []
    for (let count = 0; count < 4; count++) {
      ids.push((await run('aurora-image', { webhook_url: 'http://receiver.test/' })).body.job_id)
      await server.clock.advance(60_000)
    }
    await server.webhooks.next({ jobId: String(ids[2]) })
    const smaller = createReferenceServer({ clock: 'manual', retention: { deliveries: 2 } })
    smaller.restore(server.snapshot())
    expect((await smaller.webhooks.next()).job_id).toBe(ids[3])
    await expect(smaller.webhooks.next({ timeoutMs: 0 })).rejects.toThrow('No webhook delivery')
  })
})
