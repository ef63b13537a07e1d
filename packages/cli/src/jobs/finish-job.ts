import type { JobHandle, ModelRun, RunResult } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { InterruptedError, isClientError, jobCommand } from '../errors.ts'
import { type SavedOutput, saveOutputs, shownOf } from '../files/save-files.ts'
import type { Ledger } from '../ledger.ts'
import type { FileOptions } from '../options.ts'
import { followAdvice } from '../report-error.ts'
import type { Interruption } from '../run/interruption.ts'
import { StatusLine } from '../terminal/terminal.ts'
import { durationText, priceText } from '../terminal/text.ts'

interface FollowedJob {
  client: ModelRun
  job: JobHandle
  ledger: Ledger
  options: FileOptions & { wait: boolean }
  interruption: Interruption
}

/** Waits for a job, saves its files and prints where they are. @throws InterruptedError at Ctrl-C */
export async function finishJob(followed: FollowedJob, context: CliContext): Promise<ExitCode> {
  const { options, job, interruption } = followed
  if (interruption.signal.aborted) throw detached(job)
  if (!options.wait) {
    context.terminal.print(job.id)
    return EXIT.done
  }
  let result: RunResult
  try {
    result = await waitForEnd(followed, context)
  } catch (error) {
    if (interruption.signal.aborted) throw detached(job)
    if (isClientError(error)) followed.ledger.noteEnd(job.id, error.code.replace('job_', ''))
    throw error
  }
  followed.ledger.noteEnd(job.id, 'succeeded')
  const prefix = result.model_id ?? job.modelId ?? 'model'
  const plan = { folder: options.out ?? '.', prefix, signal: interruption.signal }
  const { files, error }: SavedOutput = options.save ? await saveOutputs(followed.client, result, plan) : { files: [] }
  report(result, files, context)
  for (const line of options.save ? files : shownOf(result.output)) context.terminal.print(line)
  if (error === undefined) return EXIT.done
  const again = `Not all of its files are saved. Try again: ${jobCommand(job.id)} --watch`
  if (interruption.signal.aborted)
    throw new InterruptedError(`stopped. The job has succeeded, and is charged. ${again}`)
  context.terminal.say(again)
  throw error
}

function detached({ id }: JobHandle): InterruptedError {
  return new InterruptedError(`stopped waiting. ${followAdvice(id)}`)
}

async function waitForEnd({ job, options, interruption }: FollowedJob, { terminal }: CliContext): Promise<RunResult> {
  let status = 'queued'
  const line = new StatusLine(terminal, (elapsedMs) => `${job.id} ${status} ${durationText(elapsedMs)}`)
  try {
    return await job.result({
      signal: interruption.signal,
      deadlineMs: (options.timeout ?? Number.POSITIVE_INFINITY) * 1_000,
      onStatus: (state) => {
        if (state.status !== status) terminal.event('job', { job_id: job.id, status: state.status })
        status = state.status
      },
    })
  } finally {
    line.end()
  }
}

function report(result: RunResult, files: readonly string[], { terminal }: CliContext): void {
  const { job_id, model_id: model, output, credits_used, credits_per_run } = result
  terminal.event('result', { job_id, model, status: 'succeeded', output, credits_used, credits_per_run, files })
  const credits = credits_used ?? credits_per_run
  terminal.say(`succeeded${credits === undefined ? '' : `, ${priceText(credits)}`}`)
}
