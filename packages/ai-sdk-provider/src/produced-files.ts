import type { SharedV3Warning } from '@ai-sdk/provider'
import type { OutputItem } from 'modelrun'
import { keepSucceeded, runError, settle, toAiError } from './errors.ts'
import type { ResolvedOptions } from './options.ts'
import { type CallOptions, type ProviderContext, prepareCall, type Wanted } from './prepare-call.ts'
import { type EndedRuns, type Facts, runInputs, type SucceededRun } from './run-inputs.ts'

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
