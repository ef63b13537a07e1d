import { abortable } from '@modelrun/kit'
import type { Output } from 'modelrun'
import { diskProblem } from '../errors.ts'
import { saveOutputs } from '../files/save-files.ts'
import type { PriceOptions, ServiceOptions } from '../options.ts'
import type { Service } from '../service/service.ts'
import type { Decisions } from './attempts.ts'
import type { BatchStart } from './batch-progress.ts'
import type { BatchStop } from './batch-stop.ts'
import type { Batch } from './open-batch.ts'
import type { RowSource } from './read-rows.ts'
import type { Row, RowRules } from './rows.ts'

export interface BatchOptions extends ServiceOptions, PriceOptions, Decisions, RowSource {
  out: string
  concurrency: number
  pollsPerSecond: number
  key?: string | undefined
  ignoreColumns?: readonly string[] | undefined
  files?: string | undefined
  report?: string | undefined
  sameAccount?: boolean | undefined
  newRows?: boolean | undefined
  limit?: number | undefined
  dryRun?: boolean | undefined
}

export interface BatchWork {
  service: Service
  rules: RowRules
  batch: Batch
  rows: readonly Row[]
  start: BatchStart
  stop: BatchStop
  options: BatchOptions
}

/** Files are fetched beside the runs, of so many rows at once. */
const SAVES_AT_ONCE = 8

/**
 * Runs every row and saves its files. When the signal aborts, the loop is left at once, also while it waits for files: as long as
 * it is not left, rows are sent.
 */
export async function workRows(work: BatchWork, note: (row: Row) => void): Promise<void> {
  const { rules, batch, rows, options, stop } = work
  const { signal } = stop
  const saves = new Set<Promise<void>>()
  // The input is that of the batch, which may be another spelling of the row.
  const maxCredits = work.start.price
  const items = rows.map((row) => ({ row, key: row.runKey, input: row.run?.input ?? row.input, maxCredits }))
  const { concurrency } = options
  for await (const { item, run } of batch.runs.runEach(rules.model, items, { concurrency, signal })) {
    signal.throwIfAborted()
    item.row.run = run
    const save = saveRow(item.row, run.output, work).then(() => note(item.row))
    saves.add(save)
    save.finally(() => saves.delete(save)).catch(() => {})
    if (saves.size >= SAVES_AT_ONCE) await abortable(Promise.race(saves), signal)
  }
  await abortable(Promise.all(saves), signal)
}

async function saveRow(row: Row, output: Output | undefined, work: BatchWork): Promise<void> {
  const { service, batch, rows, options, stop } = work
  Object.assign(row, batch.saved.of(row.key))
  const jobId = row.run?.jobId
  const isSaved = row.files !== undefined && row.saveProblem === undefined
  if (output === undefined || jobId === undefined || isSaved) return
  // Files sort as the rows do.
  const prefix = String(row.row).padStart(String(rows.length).length, '0')
  const plan = { folder: options.out, prefix, signal: stop.signal }
  const { files, error } = await saveOutputs(service.client, { job_id: jobId, output }, plan)
  const saved = { files, saveProblem: error?.message }
  Object.assign(row, saved)
  // No more rows are paid whose files cannot be kept.
  if (error !== undefined && (stop.signal.aborted || diskProblem(error) !== undefined)) throw error
  batch.saved.add(row.key, saved)
}
