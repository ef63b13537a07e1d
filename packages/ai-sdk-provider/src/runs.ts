import type { SharedV3Warning } from '@ai-sdk/provider'
import { AbortedError, type Output, type OutputItem } from 'modelrun'
import type { DurableRun, DurableRuns } from './durable-runs.ts'
import { abortError, keepSucceeded, runError, settle, toAiError } from './errors.ts'
import { modelPath } from './model-reader.ts'
import type { ResolvedOptions } from './options.ts'
import { type CallOptions, type PreparedCall, type ProviderContext, prepareCall, type Wanted } from './prepare-call.ts'

/** What is known of a run, for `providerMetadata`: JSON that `ai` 6 and 7 both take. */
export type Facts = Record<string, string | number | undefined>

/** A run that succeeded. */
export interface SucceededRun {
  jobId: string
  output: Output
  facts: Facts
  /** Of a run that this call sent: a repeated call would send it again. */
  input?: object
}

/** How each run of a call ended. */
export type EndedRuns = PromiseSettledResult<SucceededRun>[]

/** Longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs every input of a call to its end. */
async function runInputs(options: ResolvedOptions, call: PreparedCall): Promise<EndedRuns> {
  const { durable, onAbort, deadlineMs, webhook } = options
  if (durable !== undefined) return await runInBatch(durable, options, call)
  const url = runPath(call)
  return await settle(call.inputs, async (input) => {
    try {
      const how = { ...call.send, webhook, onAbort, deadlineMs, mode: 'async' as const }
      const { job_id: jobId, output, ...result } = await options.client().run(call.model.id, input, how)
      const { request_id: requestId, credits_used: creditsUsed, credits_per_run: creditsPerRun } = result
      return { jobId, output, facts: { jobId, requestId, creditsUsed, creditsPerRun }, input }
    } catch (error) {
      throw toAiError(error, { url, input })
    }
  })
}

async function runInBatch(
  durable: DurableRuns,
  { onAbort, deadlineMs }: ResolvedOptions,
  { model, inputs, keys, send: { signal } }: PreparedCall,
): Promise<EndedRuns> {
  const items = inputs.map((input, index) => ({ key: keys[index] ?? '', input }))
  const deadline = AbortSignal.timeout(Math.min(deadlineMs, MAX_TIMER_MS))
  const ended: (() => Promise<SucceededRun>)[] = []
  try {
    const options = { signal: signal ? AbortSignal.any([signal, deadline]) : deadline }
    for await (const { item, run } of durable.runEach(model.id, items, options)) {
      ended.push(async () => ({ ...succeededRun(run, item.key), input: item.input }))
    }
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error
    if (signal?.aborted && onAbort === 'cancel') await settle(keys, (key) => durable.cancel(key))
    if (signal?.aborted) throw abortError(error)
    const message = `The runs ${keys.join(', ')} did not end in time. They continue: the same call waits for them again.`
    throw runError(message, { url: runPath({ model }), code: 'deadline_exceeded', submission: 'unknown' })
  }
  return await settle(ended, (end) => end())
}

/** A run of a batch that has ended. @throws when it did not succeed */
export function succeededRun({ state, jobId, output, error }: DurableRun, key: string): SucceededRun {
  if (state === 'succeeded' && jobId !== undefined && output) return { jobId, output, facts: { jobId, key } }
  const isUnknown = state === 'unknown'
  const advice = isUnknown ? ' It may have been charged: decide with `resolve` or `resubmit` of the batch.' : ''
  const submission = isUnknown ? 'unknown' : state === 'rejected' ? 'rejected' : 'accepted'
  const about = { url: '', code: error?.code ?? state, submission, jobId, key } as const
  throw runError(`The run ${key} of the batch is ${state}: ${error?.message}${advice}`, about)
}

export function runPath({ model }: Pick<PreparedCall, 'model'>): string {
  return `${modelPath(model.id)}/run`
}

/** A file that was produced and fetched. */
export interface ProducedFile {
  data: Uint8Array<ArrayBuffer>
  /** Empty when the file host does not say it: the AI SDK detects it then. */
  mediaType: string
  /** Its url, and what is known of its run. */
  facts: Facts
}

/** Fetches or names one file of a run. */
type TakeFile<File> = (run: SucceededRun, item: OutputItem) => Promise<File>

/** Runs a call to its end and fetches the files. */
export async function produceFiles(
  context: ProviderContext,
  wanted: Wanted,
  options: CallOptions,
): Promise<{ files: ProducedFile[]; warnings: SharedV3Warning[] }> {
  const call = await prepareCall(context, wanted, options)
  const runs = await runInputs(context.options, call)
  const { values, warnings } = await takeFiles(runs, fileFetcher(context.options, call.send.signal))
  return { files: values, warnings: [...call.warnings, ...warnings] }
}

/** Takes each file of each run. @throws as `keepSucceeded` does */
export async function takeFiles<File>(runs: EndedRuns, take: TakeFile<File>) {
  const parts = runs.map(async (run) => {
    if (run.status === 'rejected') return [run]
    const { jobId, output } = run.value
    if (output.items.length > 0) return await settle(output.items, (item) => take(run.value, item))
    const message = `The job ${jobId} succeeded without a file. The call is not repeated: its run was paid.`
    const about = { url: jobPath(jobId), code: 'no_output', submission: 'accepted' as const, jobId }
    return [{ status: 'rejected' as const, reason: runError(message, about) }]
  })
  return keepSucceeded<File>((await Promise.all(parts)).flat())
}

/** Fetches with the retries of the client. A file that stays away never repeats the run that made it. */
export function fileFetcher(options: ResolvedOptions, signal: AbortSignal | undefined): TakeFile<ProducedFile> {
  return async ({ jobId, facts, input }, item) => {
    try {
      const file = await options.client().files.download(item, { jobId, signal })
      return { data: await file.bytes(), mediaType: file.contentType ?? '', facts: { url: item.url, ...facts } }
    } catch (error) {
      throw toAiError(error, { url: item.url, input, jobId })
    }
  }
}

export function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`
}
