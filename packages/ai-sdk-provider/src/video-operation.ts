import type { JSONValue } from '@ai-sdk/provider'
import type { JobHandle, JobJson } from 'modelrun'
import { inTime } from './abort.ts'
import { keepSucceeded, nameJobs, reject, servicePath, throwAiError } from './errors.ts'
import type { ResolvedOptions } from './options.ts'
import type { PreparedCall } from './prepare-call.ts'
import { cancelAfter, limitsOf } from './runs.ts'

/** The JSON that `startVideo` gives and `getVideoStatus` takes, perhaps in another process. */
interface VideoOperation {
  jobs?: JobJson[]
  keys?: string[]
}

/** Sends the runs of a call. Jobs that the service accepted are not lost because another run failed. */
export async function startRuns(options: ResolvedOptions, call: PreparedCall, webhookUrl: string | undefined) {
  const { model, items, send, url } = call
  const { client, durable, webhook, onAbort } = options
  const isCancelled = () => send.signal?.aborted === true && onAbort === 'cancel'
  if (durable !== undefined) {
    if (webhookUrl !== undefined) reject('webhookUrl', 'a batch has an inbox of its own: `webhooks` of `createRuns`.')
    let sending: { key: string; sent: Promise<unknown> }[] = []
    const sendAll = (signal: AbortSignal) => {
      sending = items.map(({ key, input }) => ({ key, sent: durable.send(key, model.id, input, { signal }) }))
      return Promise.all(sending.map(({ sent }) => sent))
    }
    await inTime(limitsOf(call), sendAll).catch((error: unknown) => {
      if (isCancelled()) for (const { key, sent } of sending) cancelAfter(sent, durable, [key])
      throw error
    })
    const keys = items.map(({ key }) => key)
    return { operation: { keys }, facts: keys.map((key) => ({ key })), warnings: call.warnings }
  }
  const how = { ...send, deadlineMs: call.msLeft(), ...(webhookUrl === undefined ? { webhook } : { webhookUrl }) }
  const started = items.map(({ input }) => client().submit(model.id, input, how).catch(throwAiError({ url, input })))
  const settled = await Promise.allSettled(started)
  const accepted = settled.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []))
  if (isCancelled() && accepted.length < items.length) for (const job of accepted) job.cancel().catch(() => {})
  const jobIds = accepted.map(({ id }) => id)
  const { values: jobs, warnings } = keepSucceeded(settled, { jobIds })
  const operation = { jobs: jobs.map((job) => ({ ...job.toJSON() })) }
  return { operation, facts: jobs.map(({ id }) => ({ jobId: id })), warnings: [...call.warnings, ...warnings] }
}

export async function readRuns(options: ResolvedOptions, operation: JSONValue, signal: AbortSignal | undefined) {
  const { jobs = [], keys = [] } = parseOperation(operation)
  const readJob = async (job: JobHandle, signal: AbortSignal) => {
    const about = { url: servicePath('jobs', job.id), jobId: job.id }
    const read = await job.get({ signal }).catch(throwAiError(about))
    const { status: state, output = { type: 'video', items: [] }, error } = read
    const hasEnded = state === 'succeeded' || state === 'failed' || state === 'cancelled'
    return { key: undefined, state, jobId: job.id, output, error, hasEnded }
  }
  const readKey = async (key: string) => {
    if (options.durable === undefined) reject('operation', `${key} is in a batch: set \`durable\` of this provider.`)
    const run = await options.durable.read(key)
    return { ...run, key, hasEnded: run.state !== 'waiting' && run.state !== 'running' }
  }
  const attached = jobs.map((json) => options.client().jobs.attach(json))
  const jobIds = attached.map(({ id }) => id)
  const message = `The state of ${[...jobIds, ...keys].join(', ')} was not read in time. Read it again.`
  const limits = { signal, ms: options.deadlineMs, url: servicePath('jobs'), message }
  const readAll = (signal: AbortSignal) =>
    Promise.all([...attached.map((job) => readJob(job, signal)), ...keys.map(readKey)])
  return await inTime(limits, readAll).catch((error: unknown) => {
    throw nameJobs(error, jobIds)
  })
}

/** What comes from another process is checked. `jobs.attach` checks each job. */
function parseOperation(value: JSONValue): VideoOperation {
  const { jobs, keys }: { jobs?: unknown; keys?: unknown } = Object(value)
  if (Array.isArray(jobs) || Array.isArray(keys)) return value as VideoOperation
  reject('operation', 'it must be what `startVideo` of a modelrun model gave.')
}
