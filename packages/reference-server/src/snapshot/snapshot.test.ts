import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import type { ClockSetting } from '../clock/create-clock.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { Snapshot } from './snapshot-schema.ts'

const PRICE = 4
const WITH_WEBHOOK = { webhook_url: 'http://receiver.test/' }
const deliver = async () => new Response()

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
  const server = createReferenceServer({ clock, deliver, assumptions: { queuedMs: 0 } })
  const { run } = apiCaller(server)
  for (const [index, after_ms] of latencies.entries()) {
    server.script('aurora-image', [{ result: index % 4 === 0 ? 'failed' : 'succeeded', after_ms }])
    await run('aurora-image', index % 3 === 0 ? WITH_WEBHOOK : { sync: false })
  }
  return server
}

/** What must be true of every snapshot, whenever it was taken. Another server finds what contradicts itself. */
function check(snapshot: Snapshot, jobs: number): void {
  expect(snapshot.jobs).toHaveLength(jobs)
  const succeeded = snapshot.jobs.filter(({ end }) => end?.status === 'succeeded')
  expect(snapshot.accounts[0]?.credits.charged).toBe(PRICE * succeeded.length)
  for (const { end } of snapshot.jobs) expect(end?.at ?? 0).toBeLessThanOrEqual(snapshot.time)
  createReferenceServer({ clock: 'manual', deliver }).restore(snapshot)
}

describe('a snapshot', () => {
  it('is of one moment, although the clock moves on while it is taken', async () => {
    const clocks = fc.constantFrom<ClockSetting>('system', { scale: 7 }, 'manual', 'auto')
    const latencies = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 })
    const isSettled = async (clock: ClockSetting, times: number[], stepMs: number) => {
      moveWithEveryReading(stepMs)
      const server = await serverWith(clock, times)
      for (let count = 0; count < 8; count++) {
        check(server.snapshot(), times.length)
        server.restore(server.snapshot())
      }
      await server.close()
      vi.restoreAllMocks()
    }
    await fc.assert(fc.asyncProperty(clocks, latencies, fc.integer({ min: 1, max: 5 }), isSettled), { numRuns: 15 })
  })

  it('holds a job whose receiver takes it while the job ends', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const taken: Snapshot[] = []
    server.webhooks.deliver(() => {
      taken.push(server.snapshot())
      return new Response()
    })
    await apiCaller(server).run('aurora-image', WITH_WEBHOOK)
    await server.clock.advance(60_000)
    expect(taken).toHaveLength(1)
    for (const snapshot of taken) check(snapshot, 1)
  })

  it('leaves out a pending delivery when its job is no longer stored', async () => {
    const server = createReferenceServer({ clock: 'manual', retention: { finishedJobs: 1 } })
    server.webhooks.script({ delay_ms: 60_000 })
    for (let run = 0; run < 2; run++) await apiCaller(server).run('aurora-image', WITH_WEBHOOK)
    await server.clock.advance(30_000)
    const snapshot = server.snapshot()
    expect([snapshot.jobs.length, snapshot.pendingDeliveries.length]).toEqual([1, 1])
    createReferenceServer({ clock: 'manual', deliver }).restore(snapshot)
  })

  it('keeps which deliveries are unread in a server that keeps fewer of them', async () => {
    const server = createReferenceServer({ clock: 'manual', deliver })
    const ids: unknown[] = []
    for (let count = 0; count < 4; count++) {
      ids.push((await apiCaller(server).run('aurora-image', WITH_WEBHOOK)).body.job_id)
      await server.clock.advance(60_000)
    }
    await server.webhooks.next({ jobId: String(ids[2]) })
    const smaller = createReferenceServer({ clock: 'manual', retention: { deliveries: 2 } })
    smaller.restore(server.snapshot())
    expect((await smaller.webhooks.next()).job_id).toBe(ids[3])
    await expect(smaller.webhooks.next({ timeoutMs: 0 })).rejects.toThrow('No webhook delivery')
  })

  it('is rejected while a condition is a function, which JSON cannot have', async () => {
    const server = createReferenceServer()
    const when = { input: () => true }
    server.script('aurora-image', [{ result: 'failed', when }])
    server.faults.add({ kind: 'reset', when })
    const message = 'cannot have the function `when.input` of an outcome of aurora-image, fault_1'
    expect(() => server.snapshot()).toThrow(message)
    server.faults.clear()
    await apiCaller(server).run('aurora-image', { sync: false })
    expect(server.snapshot().jobs).toHaveLength(1)
  })

  it('takes a server back in time, ends runs that are held as a reset does, and lets clients wait on', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const snapshot = server.snapshot()
    const held = apiCaller(server).run('aurora-image')
    const isOver = vi.fn()
    server.clock.setTimeout(isOver, 5_000)
    await server.clock.advance(1_000)
    server.restore(snapshot)
    expect([(await held).body.status, server.clock.now()]).toEqual(['cancelled', snapshot.time])
    await server.clock.advance(4_000)
    expect(isOver).toHaveBeenCalledOnce()
  })

  it('lets time pass for a server on a system clock that is not there, and for no other', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const system = createReferenceServer({ startTime: 0 })
    vi.setSystemTime(1_005_000)
    const snapshot = system.snapshot()
    vi.setSystemTime(1_065_000)
    const times = (['system', { scale: 10 }, 'manual'] as const).map((clock) => {
      const server = createReferenceServer({ clock })
      server.restore(snapshot)
      return server.clock.now()
    })
    expect(times).toEqual([65_000, 5_000, 5_000])
  })
})
