import { defined } from '@modelrun/kit'
import type { Job } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { prepareFolder, shownOf } from '../files/save-files.ts'
import { Ledger, type LedgerRun } from '../ledger.ts'
import type { FileOptions, ServiceOptions } from '../options.ts'
import { Interruption } from '../run/interruption.ts'
import { createService } from '../service/service.ts'
import { finishJob } from './finish-job.ts'

export interface JobOptions extends ServiceOptions, FileOptions {
  watch?: boolean | undefined
}

export async function showJob([id]: [string?], options: JobOptions, context: CliContext): Promise<ExitCode> {
  if (id === undefined) return showLedger(context)
  const { client } = await createService(options, context)
  const ledger = new Ledger(context)
  if (!options.watch) {
    const found = await client.jobs.get(id)
    ledger.noteEnd(id, found.status)
    return printJob(id, found, context)
  }
  if (options.save) prepareFolder(options.out ?? '.')
  const { model: model_id } = ledger.findJob(id) ?? {}
  const job = client.jobs.attach(defined({ job_id: id, model_id }))
  const interruption = new Interruption(context)
  return await finishJob({ client, job, ledger, options: { ...options, wait: true }, interruption }, context)
}

function printJob(id: string, { status, output, error }: Job, { terminal }: CliContext): ExitCode {
  terminal.event('job', { job_id: id, status, output, error })
  terminal.print(status)
  for (const line of output === undefined ? [] : shownOf(output)) terminal.print(line)
  if (error !== undefined) terminal.say(`${error.code}: ${error.message}`)
  return status === 'failed' || status === 'cancelled' ? EXIT.failed : EXIT.done
}

export async function cancelJob([id]: [string], options: ServiceOptions, context: CliContext): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const { status } = await client.jobs.cancel(id)
  new Ledger(context).noteEnd(id, status)
  context.terminal.event('job', { job_id: id, status })
  context.terminal.print(status)
  return status === 'cancelled' ? EXIT.done : EXIT.failed
}

async function showLedger(context: CliContext): Promise<ExitCode> {
  const { terminal } = context
  const runs = new Ledger(context).read()
  for (const run of runs) terminal.event('run', run)
  const rows = [['JOB', 'STATUS', 'MODEL', 'CREDITS', 'STARTED'], ...runs.map(runCells)]
  if (runs.length === 0) terminal.say('No run was started here. Start one with: modelrun run <id>')
  else await terminal.printTable(rows)
  return EXIT.done
}

/** A run whose process ended while it was sent has no job id: it may have been charged. */
function runCells({ job_id, status, model, credits, at }: LedgerRun): string[] {
  const shown = status === 'intent' ? 'unknown' : status
  return [job_id ?? '-', shown, model, String(credits), at.slice(0, 19).replace('T', ' ')]
}
