import type { Runs } from '@modelrun/durable'
import type { ModelRun } from 'modelrun'
import { isClientError } from '../errors/report-error.ts'
import { UsageError } from '../errors/usage-error.ts'
import { cleanText } from '../terminal/clean-text.ts'
import type { BatchOptions } from './batch-options.ts'
import type { RowAttempt } from './row-attempts.ts'

/** What is needed to decide about the unknown rows of a batch. */
interface Deciding {
  client: ModelRun
  runs: Runs
  options: BatchOptions
}

/** A decision about a row. */
interface Decision {
  text: string
  row: RowAttempt
  jobId: string
}

/**
 * Gives unknown rows the jobs that the user names, and polls those again that have one. What stays unknown may be sent again, if
 * the user wants it.
 *
 * @throws UsageError
 */
export async function decideUnknown(
  rows: readonly RowAttempt[],
  { client, runs, options }: Deciding,
): Promise<RowAttempt[]> {
  const decisions = (options.job ?? []).map((text) => readDecision(text, rows))
  // All of them before the first is stored.
  for (const decision of decisions) await checkDecision(decision, { client, rows })
  const jobs = new Map(decisions.map(({ row, jobId }) => [row, jobId]))
  const decided: RowAttempt[] = []
  for (const row of rows) decided.push(await decide(row, jobs.get(row)))
  return decided

  async function decide(row: RowAttempt, given: string | undefined): Promise<RowAttempt> {
    const jobId = given ?? row.run?.jobId
    if (row.run?.state !== 'unknown' || jobId === undefined) return row
    // It was not found, perhaps by another key. Polling again costs nothing; sending again does.
    if (given === undefined && options.resubmitUnknown && !(await hasJob(client, jobId))) return row
    await runs.resolve(row.runKey, { jobId })
    return { ...row, run: await runs.get(row.runKey) }
  }
}

async function hasJob(client: ModelRun, jobId: string): Promise<boolean> {
  try {
    await client.jobs.get(jobId)
    return true
  } catch (error) {
    if (isClientError(error) && error.status === 404) return false
    throw error
  }
}

/** With `--key`, a row is named by its key, or by its number where that is not a key. */
function readDecision(text: string, rows: readonly RowAttempt[]): Decision {
  const place = text.lastIndexOf('=')
  const [name, jobId] = [text.slice(0, place), text.slice(place + 1)]
  if (place <= 0 || jobId === '') {
    throw new UsageError(`--job ${text} must be a row and a job, such as --job 12=job_1. Nothing was sent.`)
  }
  const row = rows.find(({ key }) => key === name) ?? rows.find((one) => String(one.row) === name)
  if (row !== undefined) return { text, row, jobId }
  throw new UsageError(
    `--job ${text}: there is no row ${name}. Rows have numbers from 1 to ${rows.length}, or the keys of --key. Nothing was sent.`,
  )
}

/** A wrong job would give the row the result of another, or none. */
async function checkDecision(
  { text, row, jobId }: Decision,
  { client, rows }: { client: ModelRun; rows: readonly RowAttempt[] },
): Promise<void> {
  if (row.run?.state !== 'unknown') {
    throw new UsageError(`--job ${text}: the row ${row.row} is not unknown. Nothing was sent.`)
  }
  const other = rows.find((one) => one !== row && one.run?.jobId === jobId)
  if (other !== undefined) {
    throw new UsageError(`--job ${text}: this is the job of the row ${other.row}. Nothing was sent.`)
  }
  if (await hasJob(client, jobId)) return
  throw new UsageError(
    `--job ${cleanText(text)}: the service has no such job for this key. Nothing was sent, and the row stays unknown.`,
  )
}
