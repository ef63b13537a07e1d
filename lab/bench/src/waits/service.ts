import type { Clock } from 'modelrun'

/** A job of the simulated service. */
export interface SimulatedJob {
  /** When it ends, in milliseconds of the service's clock; for a held run, when the hold did end. */
  endsAt: number
  /** GETs that asked for it. */
  polls: number
}

/** A service that runs jobs and responds to each client in its own format. */
export interface SimulatedService {
  readonly jobs: ReadonlyMap<string, SimulatedJob>
  /** When each GET came in, before the delay of the network; in milliseconds of the service's clock. */
  readonly receivedAt: readonly number[]
  /** Adds a job that has started at this moment. */
  start(id: string): SimulatedJob
  /** Responds to a request with the JSON of the body. */
  respond(request: ServiceRequest): Promise<unknown>
}

export interface ServiceRequest {
  method: string
  /** The path starts with how runs are treated and whose words are spoken: `/held/replicate/…`, `/queued/fal/…`. */
  path: string
  /** Of a run: names the job somewhere, as `job-12`. */
  body: string
}

export interface ServiceOptions {
  clock: Clock
  /** What the network takes in each direction, in milliseconds. */
  oneWayMs: number
  /** How long the job of this number takes, in milliseconds. */
  durationMs(index: number): number
}

/** The id of the job of this number; a run carries it as its prompt. */
export function jobId(index: number): string {
  return `job-${index}`
}

export function createService({ clock, oneWayMs, durationMs }: ServiceOptions): SimulatedService {
  const jobs = new Map<string, SimulatedJob>()
  const receivedAt: number[] = []
  const sleep = (delayMs: number) =>
    delayMs > 0 ? new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs)) : undefined

  function start(id: string): SimulatedJob {
    const job = { endsAt: clock.now() + durationMs(Number(id.slice(jobId(0).length - 1))), polls: 0 }
    jobs.set(id, job)
    return job
  }

  async function run(id: string, isHeld: boolean): Promise<State> {
    const job = start(id)
    if (!isHeld) return 'queued'
    await sleep(job.endsAt - clock.now())
    job.endsAt = clock.now()
    return 'completed'
  }

  function poll(id: string): State {
    const job = jobs.get(id)
    if (!job) throw new TypeError(`There is no job ${id}.`)
    job.polls++
    return clock.now() >= job.endsAt ? 'succeeded' : 'processing'
  }

  return {
    jobs,
    receivedAt,
    start,
    respond: async ({ method, path, body }) => {
      const [, treatment, client = ''] = path.split('/')
      const id = /job-\d+/.exec(method === 'GET' ? path : body)?.[0] ?? ''
      if (method === 'GET') receivedAt.push(clock.now())
      await sleep(oneWayMs)
      const state = method === 'GET' ? poll(id) : await run(id, treatment === 'held')
      const json = bodyOf(client, id, state)
      await sleep(oneWayMs)
      return json
    },
  }
}

type State = 'queued' | 'processing' | 'succeeded' | 'completed'

/** Our service's words in those of others, where they differ. */
const WORDS: Readonly<Record<string, Record<State, string>>> = {
  replicate: { queued: 'starting', processing: 'processing', succeeded: 'succeeded', completed: 'succeeded' },
  fal: { queued: 'IN_QUEUE', processing: 'IN_PROGRESS', succeeded: 'COMPLETED', completed: 'COMPLETED' },
  openai: { queued: 'in_progress', processing: 'in_progress', succeeded: 'completed', completed: 'completed' },
}

/** A job in the shape of every client at once, so that all of them read the same body. */
function bodyOf(client: string, id: string, state: State): unknown {
  const status = WORDS[client]?.[state] ?? state
  const isEnded = state === 'succeeded' || state === 'completed'
  const bill = state === 'completed' ? { duration_ms: 40_000, credits_used: 4 } : {}
  const output = { type: 'image', items: [{ type: 'image', url: 'https://files.test/fox.png' }] }
  const job = { job_id: id, request_id: id, model_id: 'aurora/image', status, ...(isEnded ? { output } : {}) }
  return { id, ...job, ...bill, data: job }
}
