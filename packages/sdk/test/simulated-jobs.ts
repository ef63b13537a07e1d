import type { ModelRunOptions } from '../src/client/options.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { createTestClient } from './test-client.ts'

/** One poll of a job, and when the service received it, in milliseconds after the clock was made. */
interface ReceivedPoll {
  jobId: string
  at: number
}

/** A service whose jobs end at set times, as a `fetch` function on a test's clock. */
export interface SimulatedJobs {
  fetch: typeof globalThis.fetch
  readonly polls: readonly ReceivedPoll[]
  /** The highest number of polls at the same time. */
  readonly maxInFlight: number
  /** Ids of the jobs that were submitted. */
  readonly submitted: readonly string[]
}

/** How a {@link SimulatedJobs} service responds. */
export interface Simulation {
  clock: ManualClock
  /** When a job ends, in milliseconds after the clock was made; by default at once. */
  endsAt?: (jobId: string) => number
  /** How long a request takes. */
  latencyMs?: number
  /** Replaces the response to a poll. */
  rejectPoll?: (poll: ReceivedPoll) => Response | undefined
}

function simulateJobs({ clock, endsAt = () => 0, latencyMs = 60, rejectPoll }: Simulation): SimulatedJobs {
  const polls: ReceivedPoll[] = []
  const submitted: string[] = []
  let inFlight = 0
  let maxInFlight = 0
  const pass = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms))

  async function respond({ method, url }: Request): Promise<Response> {
    if (method === 'POST') {
      const job_id = `job_${submitted.length}`
      submitted.push(job_id)
      return Response.json({ job_id, request_id: 'req_1', status: 'queued', model_id: 'aurora-image' })
    }
    const poll = { jobId: new URL(url).pathname.split('/').at(-1) ?? '', at: clock.elapsedMs() }
    polls.push(poll)
    const isOver = clock.elapsedMs() >= endsAt(poll.jobId)
    const data = isOver ? { status: 'succeeded', output: { type: 'image', items: [] } } : { status: 'processing' }
    return rejectPoll?.(poll) ?? Response.json({ data })
  }

  return {
    polls,
    submitted,
    get maxInFlight() {
      return maxInFlight
    },
    // The polls of a function of the caller are not shared.
    fetch: likeThatOfTheProcess(async (input, init) => {
      if (isPriceReading(String(input))) return new Response('{}', { status: 404 })
      maxInFlight = Math.max(maxInFlight, ++inFlight)
      try {
        await pass(latencyMs / 2)
        const response = await respond(new Request(input, init))
        await pass(latencyMs / 2)
        return response
      } finally {
        inFlight--
      }
    }),
  }
}

/** A client of simulated jobs on a manual clock. `ids`: as many ids of jobs. */
export function createSimulatedClient(simulation: Omit<Simulation, 'clock'> = {}, options: ModelRunOptions = {}) {
  const clock = createManualClock()
  const service = simulateJobs({ clock, ...simulation })
  const { client } = createTestClient([], { fetch: service.fetch, clock, ...options })
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `job_${index}`)
  return { clock, service, client, ids }
}

/** The price that a client reads while a job runs is not what these tests count. */
function isPriceReading(url: string): boolean {
  return /\/v1\/models\/[^/]+$/.test(url)
}

const likeThatOfTheProcess = <F extends typeof globalThis.fetch>(fetch: F): F =>
  Object.assign(fetch, { [Symbol.for('modelrun.reports_like_undici')]: true })
