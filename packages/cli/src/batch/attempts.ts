import type { Run, Runs } from '@modelrun/durable'
import type { ModelRun } from 'modelrun'
import { isClientError, UsageError } from '../errors.ts'
import { listRuns } from './list-runs.ts'
import type { Batch } from './open-batch.ts'
import { type KnownRow, nameOf } from './report.ts'
import { readAttempt, rowContent } from './row-keys.ts'
import { failWith, type Row, type RowRules } from './rows.ts'

export interface Decisions {
  retryFailed?: boolean | undefined
  resubmitUnknown?: boolean | undefined
  job?: readonly string[] | undefined
}

/** Whether the attempt ended without a result and was not charged for one, so that another one can follow. */
function isRetryable(run: Run | undefined): boolean {
  return run !== undefined && !['waiting', 'running', 'succeeded', 'unknown'].includes(run.state)
}

/** Whether another attempt may have followed this one. */
function mayBeRepeated(run: Run | undefined): boolean {
  return run?.state === 'unknown' || isRetryable(run)
}

/** Sets what a row is by its latest attempt. What may be paid is ended by a success alone, or by a decision. */
export function setRun(row: KnownRow, run: Run | undefined): void {
  const others = [row.run, ...(row.unknown ?? [])].filter((one) => one !== undefined && one.key !== run?.key)
  const unknown = others.filter((one) => one?.state === 'unknown')
  // An attempt that was withdrawn before it was sent changes nothing.
  const isWithdrawn = run?.state === 'cancelled' && run.jobId === undefined
  const before = unknown[0] ?? (isWithdrawn ? others[0] : undefined)
  const shown = isRetryable(run) ? before : undefined
  const more = unknown.filter((one) => one !== shown)
  Object.assign(row, { run: shown ?? run, unknown: more, repeated: shown && run })
}

/** A row that has a run. */
export type SentRow = KnownRow & { run: Run }

/** The rows of a batch by their keys, each with its latest attempt. */
export async function latestRows(batch: Batch): Promise<Map<string, SentRow>> {
  const latest = new Map<string, SentRow>()
  const attempts = (await listRuns(batch)).map((run) => ({ run, ...readAttempt(run.key) }))
  for (const { key, attempt, run } of attempts.toSorted((a, b) => a.attempt - b.attempt)) {
    const row = latest.get(key) ?? { key, attempt, run, ...batch.saved.of(key) }
    latest.set(key, row)
    if (attempt > row.attempt && !mayBeRepeated(row.run)) continue
    row.attempt = attempt
    setRun(row, run)
  }
  return latest
}

/**
 * Finds the latest attempt of each row, by its key or by what it asks for.
 *
 * @throws UsageError for keys that name another run
 */
export async function findAttempts(batch: Batch, rows: readonly Row[], rules: RowRules): Promise<void> {
  const known = await latestRows(batch)
  for (const row of rows) {
    Object.assign(row, known.get(row.key))
    known.delete(row.key)
  }
  if (rules.key === undefined) return findByContent(known, rows, rules)
  const problems = rows.filter((row) => isChanged(row, rules)).map(({ row, key }) => `row ${row}, with the key ${key}`)
  const advice = 'Give such a row a new key to pay for a new run, or the input that it had.'
  failWith('These rows were run with another input or model. Nothing was sent.', problems, advice)
}

/** Finds the runs of rows that were written in another way, with or without a default. */
function findByContent(others: Map<string, SentRow>, rows: readonly Row[], { model, schema }: RowRules): void {
  const missing = rows.filter(({ run }) => run === undefined)
  if (missing.length === 0) return
  const found = new Map<string, SentRow[]>()
  for (const other of others.values()) {
    if (other.run.model !== model) continue
    const content = rowContent(other.run.input, schema)
    const same = found.get(content) ?? []
    same.push(other)
    found.set(content, same)
  }
  for (const row of missing) Object.assign(row, found.get(rowContent(row.input, schema))?.shift())
}

function isChanged({ run, input }: Row, { model, schema }: RowRules): boolean {
  if (run === undefined || isRetryable(run)) return false
  return run.model !== model || rowContent(run.input, schema) !== rowContent(input, schema)
}

/**
 * Moves rows that did not succeed to their next attempt, where it is wanted, and returns those. Nothing is stored: of two
 * processes that want the same row, both find the same attempt.
 */
export function startAttempts(rows: readonly Row[], wanted: Decisions): Row[] {
  const retried = rows.filter(({ run }) => {
    return run?.state === 'unknown' ? wanted.resubmitUnknown : wanted.retryFailed && isRetryable(run)
  })
  for (const row of retried) {
    row.attempt += 1
    setRun(row, undefined)
  }
  return retried
}

interface Decision {
  row: KnownRow
  jobId: string
}

interface Deciding {
  client: ModelRun
  runs: Runs
  options: Decisions
}

/**
 * Gives unknown rows the jobs that the user names, and polls those again that have one. What stays unknown may be sent again, if
 * the user wants it.
 *
 * @throws UsageError
 */
export async function decideUnknown(rows: readonly KnownRow[], { client, runs, options }: Deciding): Promise<void> {
  // All of them before the first is stored.
  const jobs = await readDecisions(rows, { client, given: options.job ?? [] })
  for (const row of rows) {
    const given = jobs.get(row)
    if (given !== undefined) await withdraw(row, runs)
    const jobId = given ?? row.run?.jobId
    if (row.run?.state !== 'unknown' || jobId === undefined) continue
    // It was not found, perhaps by another key. Polling again costs nothing; sending again does.
    if (given === undefined && options.resubmitUnknown && !(await hasJob(client, jobId))) continue
    await runs.resolve(row.run.key, { jobId })
    setRun(row, await runs.get(row.run.key))
  }
}

/** @throws UsageError */
async function readDecisions(
  rows: readonly KnownRow[],
  { client, given }: { client: ModelRun; given: readonly string[] },
): Promise<ReadonlyMap<KnownRow, string>> {
  const jobs = new Map<KnownRow, string>()
  for (const text of given) {
    const decision = readDecision(text, rows)
    const problem = await decisionProblem(decision, { client, rows, jobs })
    if (problem !== undefined) throw new UsageError(`--job ${text}: ${problem}. Nothing was sent.`)
    jobs.set(decision.row, decision.jobId)
  }
  return jobs
}

/** Takes back that a row is sent again, which has not happened yet. */
async function withdraw(row: KnownRow, runs: Runs): Promise<void> {
  if (row.run?.state !== 'waiting') return
  await runs.cancel(row.run.key)
  setRun(row, await runs.get(row.run.key))
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

/** A row is named by its key, or by its number where that is not a key. */
function readDecision(text: string, rows: readonly KnownRow[]): Decision {
  const place = text.lastIndexOf('=')
  const [name, jobId] = [text.slice(0, place), text.slice(place + 1)]
  if (place <= 0 || jobId === '') {
    throw new UsageError(`--job ${text} must be a row and a job, such as --job 12=job_1. Nothing was sent.`)
  }
  const row = rows.find(({ key }) => key === name) ?? rows.find((one) => String(one.row) === name)
  if (row !== undefined) return { row, jobId }
  throw new UsageError(
    `--job ${text}: there is no row ${name}. Rows have numbers from 1 to ${rows.length}, or the keys of --key; for \`batch status\`, keys. Nothing was sent.`,
  )
}

/** A wrong job would give the row the result of another, or none. */
async function decisionProblem(
  { row, jobId }: Decision,
  { client, rows, jobs }: { client: ModelRun; rows: readonly KnownRow[]; jobs: ReadonlyMap<KnownRow, string> },
): Promise<string | undefined> {
  const { run, unknown } = row
  if ((run?.state === 'waiting' ? unknown?.[0] : run)?.state !== 'unknown') return `the ${nameOf(row)} is not unknown`
  const other = rows.find((one) => one !== row && (jobs.get(one) ?? one.run?.jobId) === jobId)
  if (other !== undefined) return `this is the job of the ${nameOf(other)}`
  if (await hasJob(client, jobId)) return undefined
  return 'the service has no such job for this key, and the row stays unknown'
}
