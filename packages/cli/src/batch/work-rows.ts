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
import { isSent, type Row, type RowRules } from './rows.ts'

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
  const { signal } = work.stop
  const saves = new Set<Promise<void>>()
  for await (const { item, run } of runRows(work)) {
    signal.throwIfAborted()
    item.row.run = run
    const save = saveRow(item.row, run.output, work).then(() => note(item.row))
    saves.add(save)
    save.finally(() => saves.delete(save)).catch(() => {})
    if (saves.size >= SAVES_AT_ONCE) await abortable(Promise.race(saves), signal)
  }
  await abortable(Promise.all(saves), signal)
}

async function* runRows({ rules, batch, rows, options, start, stop }: BatchWork) {
  let items = rows.map((row) => {
    // What was sent before, and perhaps rejected for its price, is not sent at the price of today.
    const maxCredits = isSent(row) ? (row.run?.maxCredits ?? 0) : start.price
    // The input is that of the batch, which may be another spelling of the row.
    return { row, key: row.runKey, input: row.run?.input ?? row.input, maxCredits }
  })
  while (items.length > 0) {
    const again: typeof items = []
    const loop = { concurrency: options.concurrency, signal: stop.signal }
    for await (const ended of batch.runs.runEach(rules.model, items, loop)) {
      const { code } = ended.run.error ?? {}
      // A run that waited has the limit of an earlier command, until it is rejected for it.
      if (code === 'budget_exceeded' && (ended.run.maxCredits ?? 0) < ended.item.maxCredits) again.push(ended.item)
      else yield ended
    }
    items = again
  }
}

async function saveRow(row: Row, output: Output | undefined, work: BatchWork): Promise<void> {
  const { service, batch, rows, options, stop } = work
  Object.assign(row, batch.saved.of(row.key))
  const jobId = row.run?.jobId
  const isSaved = row.files !== undefined && row.saveProblem === undefined
  if (output === undefined || jobId === undefined || isSaved) return
  // Its urls may have expired since they were stored.
  const job = row.saveProblem === undefined ? undefined : await service.client.jobs.get(jobId).catch(() => undefined)
  // Files sort as the rows do.
  const prefix = String(row.row).padStart(String(rows.length).length, '0')
  const plan = { folder: options.out, prefix, signal: stop.signal }
  const { files, error } = await saveOutputs(service.client, { job_id: jobId, output: job?.output ?? output }, plan)
  const saved = { files, saveProblem: error?.message }
  Object.assign(row, saved)
  // No more rows are paid whose files cannot be kept.
  if (error !== undefined && (stop.signal.aborted || diskProblem(error) !== undefined)) throw error
  batch.saved.add(row.key, saved)
}
