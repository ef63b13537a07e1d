import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

/** Settings of a worker. */
export interface TenantTask {
  url: string
  /** Where its results are delivered. */
  webhookUrl: string
  credits: number
}

/** What it has seen. */
export interface TenantResult {
  key: string
  /** Its jobs since its own reset, in the order in which it made them. */
  jobIds: string[]
  /** How each of them ended. */
  statuses: string[]
  /** HTTP statuses of its first two lists of models: a fault is in the way of the first. */
  lists: number[]
  /** Status of the job from before its reset. */
  beforeReset: number
  left: number
}

/** What it makes of the jobs of all the others. */
export interface ForeignResult {
  statuses: number[]
}

const MODEL = 'aurora-image'

if (parentPort === null) throw new Error('This file is the program of a worker thread.')
const port = parentPort
const task = workerData as TenantTask // what the test passes

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Response }> {
  const init = { method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
  const response = await fetch(
    `${task.url}${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  )
  return { status: response.status, body: (await response.json()) as Response }
}

/** The members of all the responses that it reads. */
interface Response {
  key: string
  job_id: string
  data: { status: string }
  credits: { left: number }
}

async function run(more: object = {}): Promise<string> {
  const { body } = await call('POST', `/v1/models/${MODEL}/run`, { input: { prompt: 'a' }, sync: false, ...more })
  return body.job_id
}

async function endOf(jobId: string): Promise<string> {
  for (;;) {
    const { body } = await call('GET', `/v1/jobs/${jobId}`)
    if (body.data.status !== 'queued' && body.data.status !== 'processing') return body.data.status
  }
}

/** Does a little of everything with a key of its own, and resets it in the middle. */
async function work(): Promise<TenantResult> {
  const early = await run()
  await call('POST', '/_reference/reset', { key })
  const beforeReset = (await call('GET', `/v1/jobs/${early}`)).status
  const outcomes = [{ result: 'failed', after_ms: 0 }, { result: 'hang' }, { result: 'succeeded' }]
  await call('POST', '/_reference/scripts', { model: MODEL, outcomes, key })
  await call('POST', '/_reference/faults', { kind: 'server-error', route: 'listModels', times: 1, key })
  const lists = [(await call('GET', '/v1/models')).status, (await call('GET', '/v1/models')).status]
  const jobIds = [await run(), await run(), await run({ webhook_url: task.webhookUrl })]
  await call('DELETE', `/v1/jobs/${jobIds[1]}`)
  const statuses = await Promise.all(jobIds.map(endOf))
  const { body } = await call('GET', `/_reference/keys?key=${key}`)
  return { key, jobIds, statuses, lists, beforeReset, left: body.credits.left }
}

let key = ''
key = (await call('POST', '/_reference/keys', { credits: task.credits })).body.key
port.postMessage('ready')
await once(port, 'message')
port.postMessage(await work())
const [foreignIds] = (await once(port, 'message')) as [string[]] // the ids of all the others
const statuses = await Promise.all(foreignIds.map(async (id) => (await call('GET', `/v1/jobs/${id}`)).status))
port.postMessage({ statuses } satisfies ForeignResult)
