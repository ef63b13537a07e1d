import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ServiceOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { stateFolder } from './account.ts'
import { listRuns } from './list-runs.ts'
import { openBatch } from './open-batch.ts'
import { checkReport, describeRow, printReport, type RowReport } from './report.ts'
import { readAttempt } from './row-keys.ts'

export interface StatusOptions extends ServiceOptions {
  out: string
  report?: string | undefined
}

/** Shows the state of the rows of a batch so far, by their keys. Requests nothing. */
export async function showStatus(_: [], options: StatusOptions, context: CliContext): Promise<ExitCode> {
  const { out, report } = options
  if (report !== undefined) checkReport(report, { out })
  const service = await createService(options, context)
  if (!existsSync(join(stateFolder(out), 'batch.db'))) throw new UsageError(`There is no batch in ${out}.`)
  const batch = await openBatch({ service, options: { out, concurrency: 1, pollsPerSecond: 1, dryRun: true } })
  try {
    const latest = new Map<string, RowReport>()
    for (const run of await listRuns(batch)) {
      const { key, attempt } = readAttempt(run.key)
      if ((latest.get(key)?.attempt ?? 0) > attempt) continue
      latest.set(key, describeRow({ key, attempt, run, ...batch.saved.of(key) }))
    }
    const reports = [...latest.values()]
    for (const one of reports) context.terminal.event('row', one)
    const { credits } = await batch.runs.progress()
    await printReport(reports, { report, credits, terminal: context.terminal })
    return EXIT.done
  } finally {
    await batch.runs.stop()
    await batch.engine.close()
  }
}
