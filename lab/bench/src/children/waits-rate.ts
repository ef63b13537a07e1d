import { connect, type WaitingClient } from '../waits/clients.ts'
import { peakPerSecond } from '../waits/peak.ts'
import { createRandom } from '../waits/random.ts'
import { createService, jobId } from '../waits/service.ts'
import { createSimulatedFetch } from '../waits/simulated-fetch.ts'
import { createVirtualClock } from '../waits/virtual-clock.ts'

/** Waits for many jobs at once, on virtual time. */
export interface RateJob {
  client: WaitingClient
  seed: number
  waits: number
  durationsMs: readonly [number, number]
  oneWayMs: number
  /** For the client that has such a limit. */
  maxRequestsPerSecond: number
  /** When the measurement ends, if the waits have not ended before; in milliseconds. */
  untilMs: number
}

export interface RateResult {
  /** Most requests in any second. */
  peak: number
  requests: number
  ended: number
  /** Jobs that no poll has read. */
  unseen: number
  /** How long it took, on the virtual clock. */
  tookMs: number
}

const job = JSON.parse(process.argv[2] ?? '') as RateJob
const clock = createVirtualClock()
const [shortestMs, longestMs] = job.durationsMs
const durationOf = createRandom(job.seed)
const durationMs = () => shortestMs + (longestMs - shortestMs) * durationOf()
const service = createService({ clock, oneWayMs: job.oneWayMs, durationMs })
const ids = Array.from({ length: job.waits }, (_, index) => jobId(index))
for (const id of ids) service.start(id)
const random = createRandom(job.seed + 1)
const fetch = createSimulatedFetch(service)
const { maxRequestsPerSecond } = job
if (job.client !== 'modelrun') clock.install()
const settings = { origin: 'http://service.test', treatment: 'queued', fetch, clock, random } as const
const client = await connect(job.client, { ...settings, maxRequestsPerSecond })

let ended = 0
const waits = ids.map(async (id) => {
  await client.wait(id)
  ended++
})
await clock.run(Promise.all(waits), job.untilMs)
const result: RateResult = {
  peak: peakPerSecond(service.receivedAt),
  requests: service.receivedAt.length,
  ended,
  unseen: [...service.jobs.values()].filter(({ polls }) => polls === 0).length,
  tookMs: clock.now(),
}
console.log(JSON.stringify(result))
process.exit()
