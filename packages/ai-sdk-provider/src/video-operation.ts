import type { JSONValue } from '@ai-sdk/provider'
import { JobCancelledError, JobFailedError, type JobHandle, type JobJson } from 'modelrun'
import { keepSucceeded, reject, runError, settle, toAiError } from './errors.ts'
import type { ResolvedOptions } from './options.ts'
import type { PreparedCall } from './prepare-call.ts'
import { type EndedRuns, type Facts, jobPath, runPath, succeededRun } from './runs.ts'

/** The JSON that `startVideo` gives and `getVideoStatus` takes, perhaps in another process. */
interface VideoOperation {
  /** The jobs of the service. */
  jobs?: JobJson[]
  /** The runs of a batch. */
  keys?: string[]
  /** The AI SDK reads the status only once, after the delivery. */
  isDelivered?: boolean
}

/** The state of one run of an operation. */
interface VideoRun {
  facts: Facts
  /** Empty while it has not ended. */
  end: EndedRuns
}

/** Sends the runs of a call. Jobs that the service accepted are not lost because another run failed. */
export async function startRuns(options: ResolvedOptions, call: PreparedCall, webhookUrl: string | undefined) {
  const { model, inputs, send, keys } = call
  const { durable } = options
  if (durable !== undefined) {
    if (webhookUrl !== undefined) reject('webhookUrl', 'a batch has an inbox of its own: `webhooks` of `createRuns`.')
    await Promise.all(inputs.map((input, index) => durable.add(keys[index] ?? '', model.id, input)))
    return { operation: { keys }, facts: keys.map((key) => ({ key })), jobs: [], warnings: call.warnings }
  }
  const receiver = webhookUrl === undefined ? { webhook: options.webhook } : { webhookUrl }
  const started = await settle(inputs, async (input) => {
    try {
      return await options.client().submit(model.id, input, { ...send, ...receiver })
    } catch (error) {
      throw toAiError(error, { url: runPath(call), input })
    }
  })
  const { values: jobs, warnings } = keepSucceeded(started)
  const operation = { jobs: jobs.map((job) => ({ ...job.toJSON() })) }
  const facts = jobs.map(({ id }) => ({ jobId: id }))
  return { operation, facts, jobs, warnings: [...call.warnings, ...warnings] }
}

/** Reads the runs of an operation; after a delivery, when they have ended. */
export async function readRuns(
  options: ResolvedOptions,
  operation: JSONValue,
  signal: AbortSignal | undefined,
): Promise<VideoRun[]> {
  const { jobs = [], keys = [], isDelivered } = parseOperation(operation)
  const readJob = async (json: JobJson): Promise<VideoRun> => {
    const job = options.client().jobs.attach(json)
    try {
      if (isDelivered) await untilEnded(job, options, signal)
      return await jobState(job, signal)
    } catch (error) {
      throw toAiError(error, { url: jobPath(job.id) })
    }
  }
  return await Promise.all([...jobs.map(readJob), ...keys.map((key) => keyState(options, key))])
}

/** Waits for the end of a job, however it ends. */
export async function untilEnded(
  job: JobHandle,
  { deadlineMs, onAbort }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await job.result({ signal, deadlineMs, onAbort })
  } catch (error) {
    if (!(error instanceof JobFailedError || error instanceof JobCancelledError)) throw error
  }
}

async function jobState(job: JobHandle, signal: AbortSignal | undefined): Promise<VideoRun> {
  const { status, output = { type: 'video', items: [] }, error } = await job.get({ signal })
  const jobId = job.id
  const facts = { jobId, status }
  if (status === 'succeeded') return { facts, end: [{ status: 'fulfilled', value: { jobId, output, facts } }] }
  if (status !== 'failed' && status !== 'cancelled') return { facts, end: [] }
  const about = { url: jobPath(jobId), code: error?.code ?? status, submission: 'accepted' as const, jobId }
  const reason = runError(`The job ${jobId} is ${status}: ${error?.message ?? 'no reason was given'}`, about)
  return { facts, end: [{ status: 'rejected', reason }] }
}

async function keyState({ durable }: ResolvedOptions, key: string): Promise<VideoRun> {
  const run = await durable?.get(key)
  if (run === undefined) reject('operation', `${key} is not in the batch \`durable\` of this provider.`)
  const facts = { key, status: run.state, jobId: run.jobId }
  const hasEnded = run.state !== 'waiting' && run.state !== 'running'
  return { facts, end: hasEnded ? await settle([run], async () => succeededRun(run, key)) : [] }
}

/** What comes from another process is checked. `jobs.attach` checks each job. */
function parseOperation(value: JSONValue): VideoOperation {
  const { jobs, keys }: { jobs?: unknown; keys?: unknown } = Object(value)
  if (Array.isArray(jobs) || Array.isArray(keys)) return value as VideoOperation
  reject('operation', 'it must be what `startVideo` of a modelrun model gave.')
}
