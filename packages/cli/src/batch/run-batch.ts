import type { Run } from '@modelrun/durable'
import type { ModelRun, Output } from 'modelrun'
import type { CliContext, ExitCode } from '../context.ts'
import { diskProblem, RejectedRunError, reasonOf } from '../errors.ts'
import { checkTemplate, prepareFolder, saveOutputs } from '../files/save-files.ts'
import { readModel } from '../models/read-model.ts'
import { BATCH_TEMPLATE, type PriceOptions, type ServiceOptions } from '../options.ts'
import { agreeOnPrice } from '../run/agree-on-price.ts'
import { Interruption } from '../run/interruption.ts'
import { parametersOf } from '../run/parameters.ts'
import { createService } from '../service/service.ts'
import { cleanText, countText, priceText } from '../terminal/text.ts'
import { bindAccount, checkAccount } from './account.ts'
import { type Decisions, decideUnknown, findAttempts, nextAttempts, type RowAttempt } from './attempts.ts'
import { BatchProgress, type BatchStart } from './batch-progress.ts'
import { BatchStop } from './batch-stop.ts'
import { type Batch, openBatch } from './open-batch.ts'
import { readRows } from './read-rows.ts'
import { endOf, failedRow, type RowEnd, reportBatch, writeReport } from './report.ts'
import { batchRows } from './rows.ts'

/** Options of `modelrun batch`. */
export interface BatchOptions extends ServiceOptions, PriceOptions, Decisions {
  inputs: string
  out: string
  concurrency: number
  pollsPerSecond: number
  encoding?: string | undefined
  key?: string | undefined
  ignoreColumns?: readonly string[] | undefined
  files?: string | undefined
  name?: string | undefined
  report?: string | undefined
  sameAccount?: boolean | undefined
  newRows?: boolean | undefined
}

/** The rows of a batch, and what works on them. */
interface BatchWork {
  client: ModelRun
  /** Id of the model. */
  model: string
  batch: Batch
  rows: readonly RowAttempt[]
  start: BatchStart
  stop: BatchStop
  options: BatchOptions
}

/** Runs a model for each row of a file, at most once for each row, over any number of starts. */
export async function runBatch(id: string, options: BatchOptions, context: CliContext): Promise<ExitCode> {
  checkTemplate(options.name ?? BATCH_TEMPLATE, ['row', 'key', 'model', 'job_id', 'index'])
  const service = await createService(options, context)
  const { client } = service
  checkAccount(options, service)
  const model = await readModel(client, id)
  const { key, files, ignoreColumns: ignored = [] } = options
  const rules = {
    model: model.id,
    schema: model.input_schema,
    parameters: parametersOf(model, []),
    key,
    ignored,
    files,
  }
  const given = await batchRows(await readRows(options.inputs, options.encoding), rules)
  prepareFolder(options.out)
  const interruption = new Interruption(context)
  const stop = new BatchStop(interruption, context)
  try {
    bindAccount(options, service)
    const { out, concurrency, pollsPerSecond } = options
    const batch = await openBatch({ client, options: { out, concurrency, pollsPerSecond } }, stop)
    stop.batch = batch
    const found = await findAttempts(batch.runs, given, rules)
    const decided = await decideUnknown(found, { client, runs: batch.runs, options })
    const rows = nextAttempts(decided, options)
    const start = await findStart(batch, rows, model.pricing.credits_per_run)
    checkFound(found, start, options)
    const work = { client, model: model.id, batch, rows, start, stop, options }
    await agree(work, context)
    await addRetries(work, found, context)
    return await workAndReport(work, context)
  } catch (error) {
    throw await stop.reasonOf(error)
  } finally {
    interruption.release()
    await stop.close()
  }
}

interface FoundBatch extends BatchStart {
  /** Runs of the folder that were sent, of any row. */
  everSent: number
}

/** State of the batch when a process starts. */
async function findStart({ runs }: Batch, rows: readonly RowAttempt[], price: number): Promise<FoundBatch> {
  let [ended, sent] = [0, 0]
  for (const { runKey } of rows) {
    const run = await runs.get(runKey)
    if (run !== undefined && run.state !== 'waiting') sent += 1
    if (run !== undefined && !['waiting', 'running'].includes(run.state)) ended += 1
  }
  const { credits, total, waiting } = await runs.progress()
  return { total: rows.length, ended, sent, price, credits, everSent: total - waiting }
}

/** A file of which the batch knows no row is mostly the same file, written in another way. @throws RejectedRunError */
function checkFound(found: readonly RowAttempt[], { everSent }: FoundBatch, { out, newRows }: BatchOptions): void {
  if (newRows || everSent === 0 || found.some(({ run }) => run !== undefined)) return
  throw new RejectedRunError(
    `The folder ${out} has a batch of ${countText(everSent, 'run')}, and none of them is of a row of this file. ` +
      `All rows of the file, ${found.length}, would be paid. Nothing was sent. Add --new-rows if this is what you want.\n` +
      'Another folder with --out is a new batch: all rows are paid there.',
  )
}

/** Says what the rest costs. The limit counts for the whole batch. @throws RejectedRunError */
async function agree({ model, start, options }: BatchWork, context: CliContext): Promise<void> {
  const { total: rows, sent } = start
  const credits = (rows - sent) * start.price
  const whole = start.credits + credits
  if (sent > 0) context.terminal.say(`${sent} of ${rows} rows were sent before, for ${priceText(start.credits)}.`)
  if (rows === sent) return
  if (options.maxCredits !== undefined && whole > options.maxCredits) {
    throw new RejectedRunError(
      `The whole batch costs ${priceText(whole)}, more than --max-credits ${options.maxCredits}. Nothing was sent.`,
    )
  }
  const subject = `A batch of ${countText(rows - sent, 'run')} of ${model}`
  await agreeOnPrice({ credits, subject }, { yes: options.yes || options.maxCredits !== undefined }, context)
}

/** Stores all retries before the first is sent: after a kill the same command continues with them, also without the option. */
async function addRetries(
  { batch, model, rows }: BatchWork,
  found: readonly RowAttempt[],
  { terminal }: CliContext,
): Promise<void> {
  const retries = rows.filter(({ attempt }, index) => attempt !== found[index]?.attempt)
  await Promise.all(retries.map(({ runKey, input }) => batch.runs.add(runKey, model, { ...input })))
  if (retries.length > 0) terminal.say(`${countText(retries.length, 'row')} run again.`)
}

async function workAndReport(work: BatchWork, { terminal }: CliContext): Promise<ExitCode> {
  const progress = new BatchProgress(terminal, work.start)
  const ends: RowEnd[] = []
  try {
    await workRows(work, (end) => {
      ends.push(end)
      progress.add(end)
      terminal.event('row', end)
    })
  } finally {
    progress.end()
  }
  if (work.options.report !== undefined) await writeReport(work.options.report, ends)
  const { credits } = await work.batch.runs.progress()
  return reportBatch(ends, credits, terminal)
}

/** Files are fetched beside the runs, of so many rows at once. */
const SAVES_AT_ONCE = 8

/**
 * Runs every row and saves its files. When the signal aborts, the loop is left at once, also while it waits for files: as long as
 * it is not left, rows are sent.
 */
async function workRows(work: BatchWork, note: (end: RowEnd) => void): Promise<void> {
  const { model, batch, rows, options, stop } = work
  const { signal } = stop
  const saves = new Set<Promise<void>>()
  const stopped = rejectionOf(signal)
  // The input is that of the batch, which may be another spelling of the row.
  const items = rows.map((row) => ({ row, key: row.runKey, input: row.run?.input ?? row.input }))
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

async function saveRow(row: RowAttempt, run: Run & { output: Output }, work: BatchWork): Promise<RowEnd> {
  const { client, model, batch, rows, options, start, stop } = work
  const { jobId = '', output } = run
  const end = { ...endOf(row, jobId), urls: output.items.map(({ url }) => url), credits: start.price }
  const known = batch.saved.filesOf(row.key)
  if (known !== undefined) return { ...end, state: 'succeeded', files: known }
  // Files sort as the rows do.
  const padded = String(row.row).padStart(String(rows.length).length, '0')
  const values = { row: padded, key: row.key, model, job_id: jobId }
  const plan = { folder: options.out, template: options.name ?? BATCH_TEMPLATE, values, signal: stop.signal }
  try {
    const files = await saveOutputs(client, { job_id: jobId, output }, plan)
    batch.saved.add(row.key, files)
    return { ...end, state: 'succeeded', files }
  } catch (error) {
    // No more rows are paid whose files cannot be kept.
    if (stop.signal.aborted || diskProblem(error) !== undefined) throw error
    // Without the advice for programs.
    const message = cleanText(reasonOf(error).replace(/ The result of the job .*$/s, ''))
    return { ...end, state: 'unsaved', files: [], error: message }
  }
}
