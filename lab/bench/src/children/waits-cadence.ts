import { connect, type JobWaiter, type WaitingClient } from '../waits/clients.ts'
import { createRandom } from '../waits/random.ts'
import { createService, jobId } from '../waits/service.ts'
import { createSimulatedFetch } from '../waits/simulated-fetch.ts'
import { createVirtualClock } from '../waits/virtual-clock.ts'

/** Jobs of one model, one after another, on virtual time. */
export interface CadenceJob {
  client: WaitingClient
  seed: number
  /** Jobs that are run before the measured ones. */
  learnCount: number
  count: number
  /** A job's duration is spread evenly between these, in milliseconds. */
  durationsMs: readonly [number, number]
  oneWayMs: number
  /** True: each job is the first one of a new client. */
  isClientNew: boolean
}

/** For each measured job: how often it was polled, and how long after its end the promise resolved. */
export interface CadenceResult {
  polls: number[]
  lagsMs: number[]
}

const job = JSON.parse(process.argv[2] ?? '') as CadenceJob
const clock = createVirtualClock()
const [shortestMs, longestMs] = job.durationsMs
const durationOf = createRandom(job.seed)
const durations = Array.from(
  { length: job.learnCount + job.count },
  () => shortestMs + (longestMs - shortestMs) * durationOf(),
)
const service = createService({ clock, oneWayMs: job.oneWayMs, durationMs: (index) => durations[index] ?? Number.NaN })
const random = createRandom(job.seed + 1)
const fetch = createSimulatedFetch(service)
// Ours takes a clock; the others get theirs by way of the process, as with the fake timers of a test runner.
if (job.client !== 'modelrun') clock.install()
const newClient = () =>
  connect(job.client, { origin: 'http://service.test', treatment: 'queued', fetch, clock, random })

const result: CadenceResult = { polls: [], lagsMs: [] }
const sharedClient = await newClient()

async function measure(client: JobWaiter, index: number): Promise<void> {
  const id = jobId(index)
  await client.run(id)
  const { endsAt, polls } = service.jobs.get(id) ?? { endsAt: Number.NaN, polls: Number.NaN }
  if (index < job.learnCount) return
  result.polls.push(polls)
  result.lagsMs.push(clock.now() - endsAt)
}

for (const index of durations.keys()) {
  await clock.run(measure(job.isClientNew ? await newClient() : sharedClient, index))
}
console.log(JSON.stringify(result))
process.exit()
