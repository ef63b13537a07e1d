import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { connect, type JobWaiter, type WaitingClient } from '../waits/clients.ts'
import { machineClock } from '../waits/server.ts'
import { createService, jobId } from '../waits/service.ts'
import { createSimulatedFetch } from '../waits/simulated-fetch.ts'
import { createVirtualClock } from '../waits/virtual-clock.ts'

/** Many waits that go on, in a process with `--expose-gc`. */
export interface MemoryJob {
  client: WaitingClient
  waits: number
  /** `id`: of jobs known by their id. `handle`: of jobs that were submitted before the measurement. */
  of: 'id' | 'handle'
  hasSignal: boolean
  /** `begun`: measured before any answer. `seen`: when the last answer about each job is known. */
  at: 'begun' | 'seen'
}

/** Heap for one wait, in bytes. */
export type MemoryResult = number

const FOR_EVER = Number.POSITIVE_INFINITY
/** Waits of another client come first, so that what is made once for all of them is there already. */
const WARMUP_WAITS = 200

const job = JSON.parse(process.argv[2] ?? '') as MemoryJob
const isOurs = job.client === 'modelrun'
const clock = createVirtualClock()
const { signal } = new AbortController()

/** Starts waits and leaves them as they are to be measured. */
async function prepare(count: number): Promise<() => Promise<Promise<unknown>[]>> {
  // Ours on virtual time, which stands still; the others in real time, asleep in their own timers for long enough.
  const service = createService({ clock: isOurs ? clock : machineClock, oneWayMs: 0, durationMs: () => FOR_EVER })
  const settings = { origin: 'http://service.test', treatment: 'queued', fetch: createSimulatedFetch(service) } as const
  const client = await connect(job.client, { ...settings, clock, pollIntervalMs: 60_000, maxRequestsPerSecond: 100 })
  const ids = Array.from({ length: count }, (_, index) => jobId(index))
  const starts = job.of === 'handle' ? await Promise.all(ids.map((id) => client.submit(id))) : startsOf(client, ids)
  if (job.of === 'id') for (const id of ids) service.start(id)
  const areSeen = () => [...service.jobs.values()].every(({ looks }) => looks > 0)
  return async () => {
    const waits = starts.map((start) => start())
    if (job.at === 'seen') await untilSeen(areSeen)
    return waits
  }
}

function startsOf(client: JobWaiter, ids: readonly string[]): (() => Promise<unknown>)[] {
  return ids.map((id) => () => (job.hasSignal ? client.wait(id, signal) : client.wait(id)))
}

async function untilSeen(areSeen: () => boolean): Promise<void> {
  const never = new Promise<void>(() => {})
  while (!areSeen()) await (isOurs ? clock.run(never, clock.now() + 1_000) : sleep(50))
  // The last answers are still being read.
  if (isOurs) await clock.run(never, clock.now())
  else await sleep(200)
}

async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.()
    await nextTurn()
  }
  return process.memoryUsage().heapUsed
}

const warmUp = await prepare(WARMUP_WAITS)
// They go on for ever.
void (await warmUp())
const start = await prepare(job.waits)
const before = await heapBytes()
const waits = await start()
const result: MemoryResult = ((await heapBytes()) - before) / waits.length
console.log(JSON.stringify(result))
process.exit()
