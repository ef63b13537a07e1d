import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eachOf, sleep, systemClock } from '@modelrun/kit'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import { KEEP_FOLDER, prepareFolder } from '../files/save-files.ts'
import type { ServiceOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { StatusLine } from '../terminal/terminal.ts'
import { stateFolder } from './account.ts'
import { type Decisions, decideUnknown, latestRows, type SentRow, setRun } from './attempts.ts'
import { BatchStop } from './batch-stop.ts'
import type { Batch } from './open-batch.ts'
import { checkReport, describeRow, printReport } from './report.ts'
import { saveRow } from './work-rows.ts'

export interface StatusOptions extends ServiceOptions, Pick<Decisions, 'job'> {
  out: string
  report?: string | undefined
  fetch?: boolean | undefined
  sameAccount?: boolean | undefined
}

/**
 * Shows the state of the rows of a batch so far, by their keys, and sends nothing. It needs neither the file of the rows nor the
 * model, which may be another one by now.
 */
export async function showStatus(_: [], options: StatusOptions, context: CliContext): Promise<ExitCode> {
  const { out, report, job } = options
  const fetch = options.fetch || job !== undefined
  const { terminal } = context
  if (report !== undefined) checkReport(report, { out })
  const service = await createService(options, context)
  if (!existsSync(join(stateFolder(out), 'batch.db'))) throw new UsageError(`No batch in ${out} can be read.`)
  if (fetch) prepareFolder(out, KEEP_FOLDER)
  const stop = new BatchStop(context)
  const open = { service, options: { ...options, concurrency: 1, pollsPerSecond: 10, dryRun: !fetch } }
  return await stop.work(open, async (batch) => {
    const rows = [...(await latestRows(batch)).values()]
    if (fetch) {
      await decideUnknown(rows, { client: service.client, runs: batch.runs, options: { job } })
      // A pause of polls, for a key that was repaired meanwhile, would last.
      await batch.runs.resume()
      const fetchRow = async (row: SentRow) => {
        await waitForRow(row, batch, stop.signal)
        await saveRow(row, { service, batch, plan: { folder: out, prefix: row.key, signal: stop.signal } })
      }
      await fetchAll(rows, fetchRow, context)
    }
    const reports = rows.map((row) => describeRow(row))
    for (const one of reports) terminal.event('row', one)
    const { credits } = await batch.runs.progress()
    const exitCode = await printReport(reports, { report, credits, terminal })
    return fetch ? exitCode : EXIT.done
  })
}

const FETCHES_AT_ONCE = 8

async function fetchAll(rows: readonly SentRow[], fetchRow: (row: SentRow) => Promise<void>, context: CliContext) {
  let done = 0
  const line = new StatusLine(context.terminal, () => `${done} of ${rows.length} fetched`)
  const fetchNext = (row: SentRow) => fetchRow(row).then(() => (done += 1))
  await eachOf(rows, FETCHES_AT_ONCE, fetchNext).finally(() => line.end())
}

async function waitForRow(row: SentRow, { runs }: Batch, signal: AbortSignal): Promise<void> {
  const runKey = row.run.key
  for (;;) {
    signal.throwIfAborted()
    const { state, afterMs } = await runs.read(runKey)
    if (state !== 'running') break
    await sleep(systemClock, afterMs, signal)
  }
  setRun(row, await runs.get(runKey))
}
