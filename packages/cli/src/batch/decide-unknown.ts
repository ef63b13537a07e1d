import type { Runs } from '@modelrun/durable'
import { UsageError } from '../errors/usage-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { BatchOptions } from './batch-options.ts'
import type { RowAttempt } from './row-attempts.ts'

/** Does what the user decided about rows that may have been charged. @throws UsageError */
export async function decideUnknown(
  runs: Runs,
  rows: readonly RowAttempt[],
  { options, terminal }: { options: BatchOptions; terminal: Terminal },
): Promise<void> {
  for (const decision of options.job ?? []) {
    const { row, jobId } = readDecision(decision, rows, options)
    const wasUnknown = await runs.resolve(row.runKey, { jobId })
    if (!wasUnknown) throw new UsageError(`--job ${decision}: the row ${row.row} is not unknown. Nothing was sent.`)
  }
  if (!options.resubmitUnknown) return
  let count = 0
  for (const { runKey } of rows) {
    const run = await runs.get(runKey)
    if (run?.state === 'unknown' && (await runs.resubmit(runKey))) count += 1
  }
  terminal.say(`${count} unknown rows are sent again.`)
}

function readDecision(
  text: string,
  rows: readonly RowAttempt[],
  { key }: BatchOptions,
): { row: RowAttempt; jobId: string } {
  const place = text.lastIndexOf('=')
  const [name, jobId] = [text.slice(0, place), text.slice(place + 1)]
  const row = rows.find((one) => one.key === name || (key === undefined && String(one.row) === name))
  if (place > 0 && jobId !== '' && row !== undefined) return { row, jobId }
  throw new UsageError(`--job ${text} must be a row and a job, such as --job 12=job_1.`)
}
