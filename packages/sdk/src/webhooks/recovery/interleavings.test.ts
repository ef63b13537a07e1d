import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInboxWorld, type HandlerRun, type InboxProcess, type InboxWorld } from '../../testing/inbox-world.ts'
import { settle } from '../../testing/manual-clock.ts'

const JOBS = ['job_0', 'job_1', 'job_2']
const PROCESSES = 3

/** What happens to a process, and when. */
interface Happening {
  afterMs: number
  process: number
  kind: 'deliver' | 'die' | 'pause' | 'resume' | 'drain' | 'cut' | 'mend'
  job: number
}

const happening: fc.Arbitrary<Happening> = fc.record({
  afterMs: fc.oneof(fc.nat(50), fc.nat(40_000)),
  process: fc.nat(PROCESSES - 1),
  kind: fc.constantFrom('deliver', 'deliver', 'deliver', 'die', 'pause', 'resume', 'drain', 'cut', 'mend'),
  job: fc.nat(JOBS.length - 1),
})

const run: fc.Arbitrary<HandlerRun> = fc.record({
  takesMs: fc.oneof(fc.nat(100), fc.nat(200_000)),
  ending: fc.constantFrom('ok', 'ok', 'ok', 'throws', 'dies', 'completes'),
})

/** Lets something happen to a process, and gives the one that has its place then. */
async function happen(world: InboxWorld, process: InboxProcess, { kind, job }: Happening): Promise<InboxProcess> {
  switch (kind) {
    case 'deliver':
      process.deliver(JOBS[job] ?? '')
      return process
    case 'pause':
      process.pause()
      return process
    case 'resume':
      await process.resume()
      return process
    case 'cut':
    case 'mend':
      process.setConnected(kind === 'mend')
      return process
    case 'drain':
      void process.inbox.drain({ timeoutMs: 1_000 })
      return world.open()
    case 'die':
      await process.die()
      return world.open()
  }
}

async function play(happenings: readonly Happening[], runs: readonly HandlerRun[]): Promise<InboxWorld> {
  let runCount = 0
  let isOver = false
  const last: HandlerRun = { takesMs: 10, ending: 'ok' }
  const world = createInboxWorld(() => (isOver ? last : (runs[runCount++ % runs.length] ?? last)))
  const processes = Array.from({ length: PROCESSES }, world.open)
  await settle()
  for (const job of JOBS) await world.store.expect(job, { pollInMs: 60_000 })
  for (const next of happenings) {
    await world.clock.advance(next.afterMs)
    const process = processes[next.process]
    if (process !== undefined) processes[next.process] = await happen(world, process, next)
  }
  // In the end the processes run, and so do the handlers.
  isOver = true
  for (const process of processes) {
    process.setConnected(true)
    await process.resume()
  }
  processes.push(world.open())
  await world.clock.advance(40 * 60_000)
  await Promise.all(processes.filter(({ isAlive }) => isAlive).map(({ inbox }) => inbox.drain()))
  return world
}

beforeEach(() => {
  // A store that cannot be reached is told once.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('whatever processes do meanwhile, no job is lost, none is completed twice, and no two work on one', async () => {
  const property = fc.asyncProperty(
    fc.array(happening, { maxLength: 25 }),
    fc.array(run, { minLength: 1, maxLength: 12 }),
    async (happenings, runs) => {
      const world = await play(happenings, runs)
      for (const job of JOBS) {
        expect(await world.store.get(job)).toMatchObject({ state: 'done' })
        expect(world.completions.get(job)?.size).toBe(1)
      }
      expect(world.overlaps).toEqual([])
    },
  )
  await fc.assert(property, { numRuns: 300 })
}, 300_000)
