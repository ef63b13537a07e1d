import type { Run } from '@modelrun/durable'
import type { ModelRun, Output } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { diskProblem } from '../errors/disk-error.ts'
import { saveOutputs } from '../files/save-outputs.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { BATCH_TEMPLATE, type BatchOptions } from './batch-options.ts'
import type { BatchProgress } from './batch-progress.ts'
import type { Batch } from './open-batch.ts'
import { inputToRun, type RowAttempt } from './row-attempts.ts'
import { endOf, failedRow, type RowEnd } from './row-end.ts'

/** What is done with the rows of a batch. */
export interface RowWork {
  client: ModelRun
  model: string
  batch: Batch
  rows: readonly RowAttempt[]
  options: BatchOptions
  /** Price of a run, in credits. */
  price: number
  signal: AbortSignal
  progress: BatchProgress
}

/** Files are fetched beside the runs, of so many rows at once. */
const SAVES_AT_ONCE = 8

/**
 * Runs every row, saves its files, and gives how each ended. When the signal aborts, the loop is left at once, also while it
 * waits for files: as long as it is not left, rows are sent.
 */
export async function workRows(work: RowWork, { terminal }: CliContext): Promise<RowEnd[]> {
  const { model, batch, rows, options, signal, progress } = work
  const ends: RowEnd[] = []
  const note = (end: RowEnd) => {
    ends.push(end)
    progress.add(end)
    terminal.event('row', end)
  }
  const saves = new Set<Promise<void>>()
  const stopped = rejectionOf(signal)
  const items = rows.map((row) => ({ row, key: row.runKey, input: inputToRun(row) }))
  const { concurrency } = options
  for await (const { item, run } of batch.runs.runEach(model, items, { concurrency, signal })) {
    signal.throwIfAborted()
    const { output } = run
    if (output === undefined) {
      note(failedRow(item.row, run))
      continue
    }
    const save = saveRow(item.row, { ...run, output }, work).then(note)
    saves.add(save)
    save.finally(() => saves.delete(save)).catch(() => {})
    if (saves.size >= SAVES_AT_ONCE) await Promise.race([...saves, stopped])
  }
  await Promise.race([Promise.all(saves), stopped])
  return ends
}

/** Rejects when the signal aborts. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  stopped.catch(() => {})
  return stopped
}

async function saveRow(
  row: RowAttempt,
  { jobId = '', output }: Run & { output: Output },
  work: RowWork,
): Promise<RowEnd> {
  const { client, model, batch, rows, options, price, signal } = work
  const produced = { job_id: jobId, output }
  const urls = output.items.map(({ url }) => url)
  const end = { ...endOf(row, jobId), urls, credits: price }
  const known = batch.saved.filesOf(row.key)
  if (known !== undefined) return { ...end, state: 'succeeded', files: known }
  // Files sort as the rows do.
  const padded = String(row.row).padStart(String(rows.length).length, '0')
  const values = { row: padded, key: row.key, model, job_id: jobId }
  const plan = { folder: options.out, template: options.name ?? BATCH_TEMPLATE, values, signal }
  try {
    const files = await saveOutputs(client, produced, plan)
    batch.saved.add(row.key, files)
    return { ...end, state: 'succeeded', files }
  } catch (error) {
    // No more rows are paid whose files cannot be kept.
    if (signal.aborted || diskProblem(error) !== undefined) throw error
    return { ...end, state: 'unsaved', files: [], error: messageOf(error) }
  }
}

/** Without the advice for programs. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return cleanText(message.replace(/ The result of the job .*$/s, ''))
}
