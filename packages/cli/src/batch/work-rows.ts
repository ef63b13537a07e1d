import type { ModelRun, RunResult } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { saveOutputs } from '../files/save-outputs.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { BATCH_TEMPLATE, type BatchOptions } from './batch-options.ts'
import type { BatchProgress } from './batch-progress.ts'
import type { Batch } from './open-batch.ts'
import type { RowAttempt } from './row-attempts.ts'
import { failedRow, type RowEnd } from './row-end.ts'

/** What is done with the rows of a batch. */
export interface RowWork {
  client: ModelRun
  model: string
  batch: Batch
  rows: readonly RowAttempt[]
  options: BatchOptions
  signal: AbortSignal
  progress: BatchProgress
}

/** Files are fetched beside the runs, of so many rows at once. */
const SAVES_AT_ONCE = 8

/** Runs every row, saves its files, and gives how each ended. */
export async function workRows(work: RowWork, { terminal }: CliContext): Promise<RowEnd[]> {
  const { client, model, batch, rows, options, signal, progress } = work
  const ends: RowEnd[] = []
  const note = (end: RowEnd) => {
    ends.push(end)
    progress.add(end)
    terminal.event('row', end)
  }
  const saves = new Set<Promise<void>>()
  const inputs = rows.map(({ input }) => ({ ...input }))
  const keyOf = (_: object, index: number) => rows[index]?.runKey ?? ''
  const { concurrency } = options
  for await (const run of client.runMany(model, inputs, { durable: batch.runs, keyOf, concurrency, signal })) {
    const row = rows[run.index]
    if (row === undefined) continue
    if (run.status === 'rejected') {
      note(failedRow(row, run))
      continue
    }
    const save = saveRow(row, run.value, work).then(note)
    saves.add(save)
    save.finally(() => saves.delete(save)).catch(() => {})
    if (saves.size >= SAVES_AT_ONCE) await Promise.race(saves)
  }
  await Promise.all(saves)
  return ends
}

async function saveRow(
  { row, key, attempt }: RowAttempt,
  result: RunResult,
  { client, model, batch, rows, options }: RowWork,
): Promise<RowEnd> {
  const { job_id } = result
  const known = batch.saved.filesOf(key)
  if (known !== undefined) return { row, key, state: 'succeeded', job_id, files: known, attempt }
  // Files sort as the rows do.
  const padded = String(row).padStart(String(rows.length).length, '0')
  const values = { row: padded, key, model, job_id }
  const plan = { folder: options.out, template: options.name ?? BATCH_TEMPLATE, values }
  try {
    const files = await saveOutputs(client, result, plan)
    batch.saved.add(key, files)
    return { row, key, state: 'succeeded', job_id, files, attempt }
  } catch (error) {
    const message = cleanText(error instanceof Error ? error.message : String(error))
    return { row, key, state: 'unsaved', job_id, files: [], attempt, error: message }
  }
}
