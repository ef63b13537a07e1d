import type { JobHandle, ModelRun, RunResult } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { isClientError } from '../errors/report-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { DEFAULT_TEMPLATE } from '../files/file-template.ts'
import { saveOutputs } from '../files/save-outputs.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { EndEntry } from '../ledger/ledger-entry.ts'
import { priceText } from '../models/price-text.ts'
import type { Interruption } from '../run/interruption.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { durationText } from '../terminal/duration-text.ts'
import { StatusLine } from '../terminal/status-line.ts'
import { endInterrupted } from './end-interrupted.ts'

/** How a job is followed to its end. */
interface FollowOptions {
  wait: boolean
  timeout?: number | undefined
  onInterrupt: 'detach' | 'cancel'
  out?: string | undefined
  name?: string | undefined
  save: boolean
}

/** A job, and what is known about its run. */
export interface FollowedJob {
  client: ModelRun
  job: JobHandle
  /** Id of the model, from the ledger. */
  model?: string | undefined
  /** Its name in the ledger; undefined for a job of another place. */
  run?: string | undefined
  ledger: Ledger
  options: FollowOptions
  interruption: Interruption
}

/** Waits for a job, saves its files and prints where they are. */
export async function finishJob(followed: FollowedJob, context: CliContext): Promise<ExitCode> {
  const { options, job, interruption } = followed
  if (interruption.isPressed) return endInterrupted(followed, context)
  if (!options.wait) {
    context.terminal.print(cleanText(job.id))
    return EXIT.done
  }
  let result: RunResult
  try {
    result = await waitForEnd(followed, context)
  } catch (error) {
    if (interruption.signal.aborted) return endInterrupted(followed, context)
    noteEnd(followed, error)
    throw error
  }
  noteEnd(followed)
  const files = options.save ? await saveFiles(followed, result, context) : []
  report(result, files, context)
  return EXIT.done
}

async function waitForEnd({ job, options, interruption }: FollowedJob, { terminal }: CliContext): Promise<RunResult> {
  let status = 'queued'
  const line = new StatusLine(
    terminal,
    (elapsedMs) => `${cleanText(job.id)} ${cleanText(status)} ${durationText(elapsedMs)}`,
  )
  try {
    return await job.result({
      signal: interruption.signal,
      deadlineMs: options.timeout ?? Number.POSITIVE_INFINITY,
      onStatus: (state) => {
        if (state.status !== status) terminal.event('job', { job_id: job.id, status: state.status })
        status = state.status
      },
    })
  } finally {
    line.end()
  }
}

function noteEnd({ run, ledger }: FollowedJob, error?: unknown): void {
  if (run === undefined) return
  const status = error === undefined ? 'succeeded' : endOf(error)
  if (status !== undefined) ledger.append({ type: 'end', run, status })
}

/** Undefined while the job continues. */
function endOf(error: unknown): EndEntry['status'] | undefined {
  if (!isClientError(error)) return undefined
  if (error.code === 'job_failed') return 'failed'
  return error.code === 'job_cancelled' ? 'cancelled' : undefined
}

async function saveFiles(followed: FollowedJob, result: RunResult, { terminal }: CliContext): Promise<string[]> {
  const { client, job, options } = followed
  const values = { model: result.model_id ?? job.modelId ?? followed.model ?? 'model', job_id: job.id }
  const plan = { folder: options.out ?? '.', template: options.name ?? DEFAULT_TEMPLATE, values }
  try {
    return await saveOutputs(client, result, plan)
  } catch (error) {
    terminal.say(
      `The job has succeeded, and its files are not saved. Try again: modelrun job ${cleanText(job.id)} --watch`,
    )
    throw error
  }
}

function report(result: RunResult, files: readonly string[], { terminal }: CliContext): void {
  const { job_id, model_id, output, credits_used, credits_per_run } = result
  terminal.event('result', {
    job_id,
    model: model_id,
    status: 'succeeded',
    output,
    credits_used,
    credits_per_run,
    files,
  })
  const credits = credits_used ?? credits_per_run
  terminal.say(`succeeded${credits === undefined ? '' : `, ${priceText(credits)}`}`)
  const lines = files.length > 0 ? files : output.items.map(({ url }) => cleanText(url))
  for (const line of lines) terminal.print(line)
}
