import { setTimeout as sleep } from 'node:timers/promises'
import type { JobEnd, ServiceJob } from './service-job.ts'

/** What the service sends back for one request, as data. */
export interface Act {
  /** Without a status, nothing is sent. */
  status?: number
  type?: 'application/json' | 'text/html'
  headers?: Record<string, string>
  body?: string
  /** Only so many characters of the body are sent. */
  cutAt?: number
  /** What happens to the connection afterwards; nothing is sent after `stall`. Default: it stays. */
  ending?: 'reset' | 'close' | 'stall'
  delayMs?: number
}

/** Body of a run request (section 4.3). */
export interface RunRequest {
  input?: { prompt?: unknown }
  sync?: boolean
  webhook_url?: string
}

/** A run that came to the service. `create` makes its job, for which the service will charge. */
interface ArrivedRun {
  create(): ServiceJob
  body: RunRequest
}

/** What the service does with a run. */
export type RunAct = (run: ArrivedRun) => Act | Promise<Act>

/** What happens between a client and the service. */
export interface Network {
  name: string
  /** For the POSTs of one run, in order; the last one repeats. */
  run?: readonly RunAct[]
  /** For the polls, in order; the last one repeats. Default: what the job is. */
  polls?: readonly ((job: ServiceJob) => Act)[]
  /** How a job ends. Default `succeeded`. */
  end?: JobEnd
  /** Age at which a job ends. Default 40 ms. */
  endMs?: number
  /** How often the webhook of a job is called. Default 1. */
  deliveries?: number
  hasNumberIds?: boolean
  /** Where the client connects to, when it is not the service. */
  place?: 'closed port' | 'no TLS'
  /** Every response comes in time and as the specification says: a run ends with its result. */
  isHealthy?: boolean
}

export const runAct = async (act: RunAct, run: ArrivedRun): Promise<Act> => act(run)

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Act => ({
  status,
  body: JSON.stringify(body),
  headers,
})

const PAGE = '<!doctype html><html><title>Sorry</title><h1>Guru Meditation</h1></html>'
export const html = (status: number, headers: Record<string, string> = {}): Act => ({
  status,
  type: 'text/html',
  body: PAGE,
  headers,
})

/** An error as the service writes it (section 7). */
export const errorAct = (status: number, code: string, headers: Record<string, string> = {}): Act =>
  json(status, { error: { code, message: 'The service says no.' } }, headers)

const identity = ({ id }: ServiceJob) => ({ job_id: id, request_id: `req_${id}`, model_id: 'aurora-image' })

export const completed = (job: ServiceJob): Act =>
  json(200, { ...identity(job), status: 'completed', output: job.output, duration_ms: 40, credits_used: 4 })

export const accepted = (job: ServiceJob, status = 202): Act =>
  json(status, { ...identity(job), status: status === 200 ? 'queued' : 'processing', message: 'Poll the job.' })

/** Section 4.4. */
export function jobAct({ status, output, id }: ServiceJob): Act {
  const failure = { error: { code: 'PROVIDER_FAILURE', message: `The model failed: ${id}` } }
  return json(200, {
    data: { status, ...(status === 'succeeded' ? { output } : {}), ...(status === 'failed' ? failure : {}) },
  })
}

export const modelAct: Act = json(200, {
  id: 'aurora-image',
  name: 'Aurora Image',
  description: 'Images',
  category: 'text-to-image',
  provider: 'Northlight',
  status: 'active',
  pricing: { credits_per_run: 4 },
  input_schema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
})

/** Section 4.3: held until the job ends, or accepted at once. */
export const okRun: RunAct = async ({ create, body }) => {
  const job = create()
  if (body.sync === false || body.webhook_url !== undefined) return accepted(job)
  await sleep(job.msLeft)
  return job.status === 'succeeded' ? completed(job) : failedRun(job)
}

const failedRun = (job: ServiceJob): Act =>
  json(502, { ...identity(job), status: job.status, error: { code: 'PROVIDER_FAILURE', message: 'Out of paint.' } })
