import type { Output, OutputItem } from 'modelrun'
import { inTime } from './abort.ts'
import type { DurableItem, DurableRun, DurableRuns } from './durable-runs.ts'
import { keepSucceeded, runError, servicePath, throwAiError } from './errors.ts'
import type { ResolvedOptions } from './options.ts'
import { type CallOptions, type PreparedCall, prepareCall, type Wanted } from './prepare-call.ts'

export interface SucceededRun {
  jobId: string
  output: Output
  /** For `providerMetadata`: JSON. */
  facts: Record<string, string | number | undefined>
  /** Of a run that this call sent: a repeated call would send it again. */
  input?: object
}

/** Each run settles by itself: its files are fetched while others still run. */
async function runInputs(options: ResolvedOptions, call: PreparedCall): Promise<Promise<SucceededRun>[]> {
  const { client, durable, onAbort, webhook } = options
  const { model, items, send, msLeft, url } = call
  if (durable !== undefined) return await runInBatch(durable, options, call)
  const how = { ...send, webhook, onAbort, deadlineMs: msLeft(), mode: 'async' as const }
  const runInput = async ({ input }: DurableItem) => {
    const result = await client().run(model.id, input, how).catch(throwAiError({ url, input }))
    const { job_id: jobId, request_id: requestId, credits_used: creditsUsed, credits_per_run: creditsPerRun } = result
    return { jobId, output: result.output, facts: { jobId, requestId, creditsUsed, creditsPerRun }, input }
  }
  return items.map(runInput)
}

async function runInBatch(
  durable: DurableRuns,
  { onAbort }: ResolvedOptions,
  call: PreparedCall,
): Promise<Promise<SucceededRun>[]> {
  const { model, items, send } = call
  const ended: { item: DurableItem; run: DurableRun }[] = []
  let work = Promise.resolve()
  const runEach = (signal: AbortSignal) => {
    work = (async () => {
      for await (const end of durable.runEach(model.id, items, { signal })) ended.push(end)
    })()
    return work
  }
  await inTime(limitsOf(call), runEach).catch((error: unknown) => {
    // Again at its end: a run may have been on its way into the batch.
    if (send.signal?.aborted && onAbort === 'cancel') {
      const keys = items.map(({ key }) => key)
      for (const end of [Promise.resolve(), work]) cancelAfter(end, durable, keys)
    }
    const jobIds = ended.flatMap(({ run }) => run.jobId ?? [])
    return throwAiError({ url: call.url, jobIds })(error)
  })
  return ended.map(async ({ item: { key, input }, run }) => ({ ...succeededRun({ ...run, key }), input }))
}

export function limitsOf({ items, url, msLeft, send: { signal } }: PreparedCall) {
  const keys = items.map(({ key }) => key).join(', ')
  const message = `The runs ${keys} did not end in time. They continue: the same call waits for them again.`
  return { signal, ms: msLeft(), url, message }
}

export function cancelAfter(work: Promise<unknown>, durable: DurableRuns, keys: readonly string[]): void {
  const cancel = () => Promise.allSettled(keys.map((key) => durable.cancel(key)))
  work.then(cancel, cancel)
}

/** The result of a run of a batch, or of a job in the words of a batch, which has no key. @throws when it did not succeed */
export function succeededRun(run: DurableRun & { key: string | undefined }): SucceededRun {
  const { key, state, jobId, output, error } = run
  if (state === 'succeeded' && jobId !== undefined && output) return { jobId, output, facts: { jobId, key } }
  const name = key === undefined ? `job ${jobId}` : `run ${key} of the batch`
  const isUnknown = state === 'unknown'
  const advice = isUnknown ? ' It may have been charged: decide with `resolve` or `resubmit` of the batch.' : ''
  const submission = isUnknown ? 'unknown' : state === 'rejected' ? 'rejected' : 'accepted'
  const url = jobId === undefined ? '' : servicePath('jobs', jobId)
  const message = `The ${name} is ${state}: ${error?.message ?? 'no reason was given'}${advice}`
  throw runError(message, { url, code: error?.code ?? state, submission, jobId, key })
}

/** Runs a call to its end and fetches the files. `facts` are those of each file, and of each job without one. */
export async function produceFiles(options: ResolvedOptions, wanted: Wanted, callOptions: CallOptions) {
  const call = await prepareCall(options, wanted, callOptions)
  const runs = await runInputs(options, call)
  const { n: count = 1 } = callOptions
  const fetchFile = fileFetcher(options, call.send.signal, call.msLeft)
  const { values: files, warnings, missing } = await takeFiles(runs, fetchFile, count)
  return { files, facts: [...files.map(({ facts }) => facts), ...missing], warnings: [...call.warnings, ...warnings] }
}

/** Takes each file of each run: fetches or names it. @throws as `keepSucceeded` does */
export async function takeFiles<File>(
  runs: readonly Promise<SucceededRun>[],
  take: (run: SucceededRun, item: OutputItem) => Promise<File>,
  wanted?: number,
) {
  const parts = runs.map(async (ending) => {
    const [run] = await Promise.allSettled([ending])
    if (run.status === 'rejected') return [run]
    const { jobId, output } = run.value
    const files = output.items.map(async (item) => (isFile(item) ? await take(run.value, item) : noFile(jobId)))
    return await Promise.allSettled(files.length > 0 ? files : [Promise.resolve().then(() => noFile(jobId))])
  })
  const files = (await Promise.all(parts)).flat()
  const ends = await Promise.allSettled(runs)
  const jobIds = ends.flatMap((run) => (run.status === 'fulfilled' ? [run.value.jobId] : []))
  return keepSucceeded<File>(files, { jobIds, wanted })
}

/** A service may have null, a text or a relative URL in the place of a file. */
function isFile(item: unknown): boolean {
  return item instanceof Object && 'url' in item && /^(https?|data):/i.test(String(item.url))
}

function noFile(jobId: string): never {
  const message = `The job ${jobId} succeeded without a file. The call is not repeated: its run was paid.`
  throw runError(message, { url: servicePath('jobs', jobId), code: 'no_output', submission: 'accepted', jobId })
}

/** Fetches with the retries of the client. A file that stays away never repeats the run that made it. */
export function fileFetcher({ client }: ResolvedOptions, signal: AbortSignal | undefined, msLeft: () => number) {
  const fetchFile = async ({ jobId, facts }: SucceededRun, item: OutputItem) => {
    // A page that says that the file has expired is not the file, whatever the type of the item is.
    const media = { ...item, type: 'image' }
    const file = await client().files.download(media, { jobId, signal, deadlineMs: msLeft() })
    // The type is empty when the file host does not say it: the AI SDK detects it then.
    return { data: await file.bytes(), mediaType: file.contentType ?? '', facts: { url: item.url, ...facts } }
  }
  return async (run: SucceededRun, item: OutputItem) => {
    const { jobId, input } = run
    return await fetchFile(run, item).catch(throwAiError({ url: item.url, input, jobId }))
  }
}
