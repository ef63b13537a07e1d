import type { Job } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { FileOptions } from '../files/file-options.ts'
import { checkTemplate, DEFAULT_TEMPLATE } from '../files/file-template.ts'
import { prepareFolder } from '../files/save-outputs.ts'
import { Ledger } from '../ledger/ledger.ts'
import type { LedgerRun } from '../ledger/ledger-entry.ts'
import { Interruption } from '../run/interruption.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { tableLines } from '../terminal/table.ts'
import { finishJob } from './finish-job.ts'

/** Options of `modelrun job`. */
export interface JobOptions extends ServiceOptions, FileOptions {
  watch?: boolean | undefined
  timeout?: number | undefined
  onInterrupt: 'detach' | 'cancel'
}

/** Prints how a job is, or waits for its end and saves its files. */
export async function showJob(id: string, options: JobOptions, context: CliContext): Promise<ExitCode> {
  const { client } = await createService(options, context)
  if (!options.watch) return printJob(id, await client.jobs.get(id), context)
  checkTemplate(options.name ?? DEFAULT_TEMPLATE, ['model', 'job_id', 'index'])
  if (options.save) await prepareFolder(options.out ?? '.')
  const ledger = new Ledger(context.env)
  const known = ledger.findJob(id)
  const job = client.jobs.attach({ job_id: id, ...(known === undefined ? {} : { model_id: known.model }) })
  const interruption = new Interruption(context)
  try {
    const followed = { client, job, run: known?.run, ledger, options: { ...options, wait: true }, interruption }
    return await finishJob(followed, context)
  } finally {
    interruption.release()
  }
}

function printJob(id: string, job: Job, { terminal }: CliContext): ExitCode {
  const { status, output, error } = job
  terminal.event('job', { job_id: id, status, output, error })
  terminal.print(cleanText(status))
  for (const { url } of output?.items ?? []) terminal.print(cleanText(url))
  if (error !== undefined) terminal.say(`${cleanText(error.code)}: ${cleanText(error.message)}`)
  return status === 'failed' || status === 'cancelled' ? EXIT.failed : EXIT.done
}

/** Prints the runs of the ledger, newest last. */
export function showLedger({ terminal, env }: CliContext): ExitCode {
  const runs = new Ledger(env).read()
  for (const run of runs) terminal.event('run', run)
  if (runs.length === 0) terminal.say('No run was started here. Start one with: modelrun run <id>')
  else for (const line of tableLines([HEADING, ...runs.map(rowOf)], terminal.columns)) terminal.print(line)
  return EXIT.done
}

const HEADING = ['JOB', 'STATUS', 'MODEL', 'CREDITS', 'STARTED']

/** A run whose process ended while it was sent has no job id: it may have been charged. */
function rowOf({ job_id, status, model, credits, at }: LedgerRun): string[] {
  const shown = status === 'intent' ? 'unknown' : status
  return [cleanText(job_id ?? '-'), shown, cleanText(model), String(credits), at.slice(0, 19).replace('T', ' ')]
}
