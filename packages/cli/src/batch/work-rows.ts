import { isDeepStrictEqual } from 'node:util'
import { abortable } from '@modelrun/kit'
import type { Output } from 'modelrun'
import { diskProblem } from '../errors.ts'
import { type SavePlan, saveOutputs } from '../files/save-files.ts'
import type { PriceOptions, ServiceOptions } from '../options.ts'
import type { Service } from '../service/service.ts'
import { type Decisions, setRun } from './attempts.ts'
import type { BatchStart } from './batch-progress.ts'
import type { BatchStop } from './batch-stop.ts'
import type { Batch } from './open-batch.ts'
import type { RowSource } from './read-rows.ts'
import type { KnownRow } from './report.ts'
import { runKey } from './row-keys.ts'
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
  const { rules, batch, rows, options, start, stop } = work
  const { signal } = stop
  const saves = new Set<Promise<void>>()
  const items = rows.map((row) => {
    // What was sent before, and perhaps rejected for its price, is not sent at the price of today.
    const maxCredits = isSent(row) ? (row.run?.maxCredits ?? 0) : start.price
    // The input is that of the batch, which may be another spelling of the row.
    return { row, key: runKey(row), input: row.run?.input ?? row.input, maxCredits }
  })
  const { concurrency } = options
  for await (const { item, run } of batch.runs.runEach(rules.model, items, { concurrency, signal })) {
    signal.throwIfAborted()
    setRun(item.row, run)
    // Files sort as the rows do.
    const prefix = String(item.row.row).padStart(String(rows.length).length, '0')
    const plan = { folder: options.out, prefix, signal }
    const save = saveRow(item.row, { service: work.service, batch, plan }).then(() => note(item.row))
    saves.add(save)
    save.finally(() => saves.delete(save)).catch(() => {})
    if (saves.size >= SAVES_AT_ONCE) await abortable(Promise.race(saves), signal)
  }
  await abortable(Promise.all(saves), signal)
}

export async function saveRow(
  row: KnownRow,
  { service, batch, plan }: { service: Service; batch: Batch; plan: SavePlan & { signal: AbortSignal } },
): Promise<void> {
  Object.assign(row, batch.saved.of(row.key))
  const { jobId, output } = row.run ?? {}
  const isSaved = row.files !== undefined && row.saveProblem === undefined
  if (output === undefined || jobId === undefined || isSaved) return
  const save = (from: Output) => saveOutputs(service.client, { job_id: jobId, output: from }, plan)
  let { files, error } = await save(output)
  if (error !== undefined && !plan.signal.aborted && diskProblem(error) === undefined) {
    // Urls of files expire: those of the job at this moment may be new ones.
    const fresh = await service.client.jobs.get(jobId, { signal: plan.signal }).catch(() => undefined)
    if (fresh?.output !== undefined && !isDeepStrictEqual(fresh.output, output))
      ({ files, error } = await save(fresh.output))
  }
  const saved = { files, saveProblem: error?.message }
  Object.assign(row, saved)
  // No more rows are paid whose files cannot be kept.
  if (error !== undefined && (plan.signal.aborted || diskProblem(error) !== undefined)) throw error
  batch.saved.add(row.key, saved)
}
