import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type WaitingClient } from '../waits/clients.ts'
import { machineClock } from '../waits/server.ts'
import { createService, jobId } from '../waits/service.ts'
import { createSimulatedFetch } from '../waits/simulated-fetch.ts'
import { countTimers } from '../waits/timer-count.ts'

/** Many waits that one signal ends, in real time. */
export interface AbortManyJob {
  client: WaitingClient
  waits: number
  oneWayMs: number
  /** Absent: the service is simulated in this process. */
  origin?: string
  maxRequestsPerSecond: number
  abortAfterMs: number
}

export interface AbortManyResult {
  /** From the abort until every promise is settled. */
  settledMs: number
  /** From the call of `abort()` to its return: listeners run within it. */
  callMs: number
  /** How the promises ended, each way once. */
  how: string[]
  /** Listeners on the signal just before the abort. */
  listenersBefore: number
  /** Listeners left on the signal. */
  listeners: number
  /** Timers just before the abort, those of the simulated network excluded. */
  timersBefore: number
  /** Timers left. */
  timers: number
  /** User and system time of this process since its start, in milliseconds. */
  lifeCpuMs: number
}

const job = JSON.parse(process.argv[2] ?? '') as AbortManyJob
const service = createService({
  clock: { ...machineClock, setTimeout: bindTimer() },
  oneWayMs: job.oneWayMs,
  durationMs: () => Number.POSITIVE_INFINITY,
})
const timers = countTimers()
const ids = Array.from({ length: job.waits }, (_, index) => jobId(index))
for (const id of ids) service.start(id)
// The warnings about too many listeners would only repeat what is counted.
process.removeAllListeners('warning')
process.on('warning', () => {})

const network = job.origin === undefined ? { fetch: createSimulatedFetch(service) } : {}
const { origin = 'http://service.test', maxRequestsPerSecond } = job
const client = await connect(job.client, { origin, treatment: 'queued', ...network, maxRequestsPerSecond })
const controller = new AbortController()
const { signal } = controller
const how = new Set<string>()
const ended = ids.map((id) =>
  client.wait(id, signal).then(
    () => how.add('resolves'),
    (error: unknown) => how.add(error instanceof Error ? error.constructor.name : String(error)),
  ),
)
await sleep(job.abortAfterMs)
const listenersBefore = getEventListeners(signal, 'abort').length
const timersBefore = timers.count()
const abortedAt = performance.now()
controller.abort()
const callMs = performance.now() - abortedAt
await Promise.all(ended)
const result: AbortManyResult = {
  settledMs: performance.now() - abortedAt,
  callMs,
  how: [...how],
  listenersBefore,
  listeners: getEventListeners(signal, 'abort').length,
  timersBefore,
  timers: timers.count(),
  lifeCpuMs: cpuMs(),
}
console.log(JSON.stringify(result))
process.exit()

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** The timers of the simulated network are not the client's: they are not counted. */
function bindTimer(): typeof machineClock.setTimeout {
  const { setTimeout } = globalThis
  return (callback, delayMs) => setTimeout(callback, delayMs)
}
