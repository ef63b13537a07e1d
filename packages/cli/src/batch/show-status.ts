import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ServiceOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { checkAccount, stateFolder } from './account.ts'
import { listRuns } from './list-runs.ts'
import { openBatch } from './open-batch.ts'
import { checkReport, describeRow, type RowReport, showReport } from './report.ts'
import { readAttempt } from './row-keys.ts'

export interface StatusOptions extends ServiceOptions {
  out: string
  report?: string | undefined
  sameAccount?: boolean | undefined
}

/** Shows the state of the rows of a batch so far, by their keys. Requests nothing. */
export async function showStatus(_: [], options: StatusOptions, context: CliContext): Promise<ExitCode> {
  const { out, report } = options
  if (report !== undefined) checkReport(report, { out })
  const service = await createService(options, context)
  if (!existsSync(join(stateFolder(out), 'batch.db'))) throw new UsageError(`There is no batch in ${out}.`)
  checkAccount(options, service)
  const limits = { concurrency: 1, pollsPerSecond: 1, dryRun: true }
  const batch = await openBatch(
    { service, options: { ...options, ...limits } },
    { onPause: () => {}, onStoreError: () => {} },
  )
  try {
    const latest = new Map<string, RowReport>()
    for (const run of await listRuns(batch)) {
      const { key, attempt } = readAttempt(run.key)
      if ((latest.get(key)?.attempt ?? 0) > attempt) continue
      latest.set(key, describeRow({ key, attempt, run, ...batch.saved.of(key) }, run.maxCredits))
    }
    const reports = [...latest.values()]
    for (const one of reports) context.terminal.event('row', one)
    await showReport(reports, batch, { out, report, terminal: context.terminal })
    return EXIT.done
  } finally {
    await batch.runs.stop()
    await batch.engine.close()
  }
}
