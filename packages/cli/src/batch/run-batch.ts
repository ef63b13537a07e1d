import type { Output } from 'modelrun'
import type { CliContext, ExitCode } from '../context.ts'
import { diskProblem, messageOf, RejectedRunError } from '../errors.ts'
import { checkTemplate, prepareFolder, saveOutputs } from '../files/save-files.ts'
import { readModel } from '../models/read-model.ts'
import { BATCH_TEMPLATE, type PriceOptions, type ServiceOptions } from '../options.ts'
import { agreeOnPrice } from '../run/agree-on-price.ts'
import { Interruption } from '../run/interruption.ts'
import { readParameters } from '../run/parameters.ts'
import { createService, type Service } from '../service/service.ts'
import { countText, priceText } from '../terminal/text.ts'
import { checkAccount } from './account.ts'
import { type Decisions, decideUnknown, findAttempts, startAttempts } from './attempts.ts'
import { BatchProgress, type BatchStart } from './batch-progress.ts'
import { BatchStop } from './batch-stop.ts'
import { type Batch, openBatch } from './open-batch.ts'
import { type RowSource, readRows } from './read-rows.ts'
import { checkReport, describeRow, printReport, writeReport } from './report.ts'
import { createRows, type Row, type RowRules } from './rows.ts'

/** Options of `modelrun batch`. */
export interface BatchOptions extends ServiceOptions, PriceOptions, Decisions, RowSource {
  out: string
  concurrency: number
  pollsPerSecond: number
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
  service: Service
  /** Id of the model. */
  model: string
  batch: Batch
  rows: readonly Row[]
  start: BatchStart
  stop: BatchStop
  options: BatchOptions
}

/** Runs a model for each row of a file, at most once for each row, over any number of starts. */
export async function runBatch([id]: [string], options: BatchOptions, context: CliContext): Promise<ExitCode> {
  checkTemplate(options.name ?? BATCH_TEMPLATE, ['row', 'key', 'model', 'job_id', 'index'])
  if (options.report !== undefined) checkReport(options.report, options.inputs)
  const service = await createService(options, context)
  checkAccount(options, service)
  const { rules, price } = await readRules(id, service, options)
  const rows = await readBatchRows(options, rules, context)
  prepareFolder(options.out)
  const interruption = new Interruption(context)
  const stop = new BatchStop(interruption, context)
  try {
    const batch = await openBatch({ service, options: { ...options, name: 'runs' } }, stop)
    stop.batch = batch
    const { runs } = batch
    await findAttempts(runs, rows, rules)
    await decideUnknown(rows, { client: service.client, runs, options })
    await checkFound(batch, rows, options)
    const retried = startAttempts(rows, options)
    const work = { service, model: rules.model, batch, rows, start: await findStart(batch, rows, price), stop, options }
    await agree(work, context)
    await addRetries(work, retried, context)
    return await workAndReport(work, context)
  } catch (error) {
    throw await stop.explain(error)
  } finally {
    interruption.release()
    await stop.close()
  }
}

async function readRules(
  id: string,
  { client }: Service,
  { key, files, ignoreColumns: ignored = [] }: BatchOptions,
): Promise<{ rules: RowRules; price: number }> {
  const model = await readModel(client, id)
  const parameters = readParameters(model, [])
  const rules = { model: model.id, schema: model.input_schema, parameters, key, ignored, files }
  return { rules, price: model.pricing.credits_per_run }
}

/** Says what is left out. */
async function readBatchRows(options: BatchOptions, rules: RowRules, { terminal }: CliContext): Promise<Row[]> {
  const raw = await readRows(options)
  const rows = await createRows(raw.rows, rules)
  const blank = raw.blank + raw.rows.length - rows.length
  if (blank > 0) terminal.say(`${countText(blank, 'row')} without a value for the model left out.`)
  return rows
}

/** A file of which the batch knows no row is mostly the same file, written in another way. @throws RejectedRunError */
async function checkFound({ runs }: Batch, rows: readonly Row[], { out, newRows }: BatchOptions): Promise<void> {
  const { total, waiting } = await runs.progress()
  if (newRows || total === waiting || rows.some(({ run }) => run !== undefined)) return
  throw new RejectedRunError(
    `The folder ${out} has a batch of ${countText(total - waiting, 'run')}, and none of them is of a row of this file. ` +
      `All rows of the file, ${rows.length}, would be paid. Nothing was sent. Add --new-rows if this is what you want.`,
    ['Another folder with --out is a new batch: all rows are paid there.'],
  )
}

/** State of the batch when a process starts. */
async function findStart({ runs }: Batch, rows: readonly Row[], price: number): Promise<BatchStart> {
  const sent = rows.filter(({ run }) => run !== undefined && run.state !== 'waiting')
  const ended = sent.filter(({ run }) => run?.state !== 'running')
  const { credits } = await runs.progress()
  return { total: rows.length, ended: ended.length, sent: sent.length, price, credits }
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
  { batch, model, start }: BatchWork,
  retried: readonly Row[],
  { terminal }: CliContext,
): Promise<void> {
  const agreed = { maxCredits: start.price }
  await Promise.all(retried.map(({ runKey, input }) => batch.runs.add(runKey, model, { ...input }, agreed)))
  if (retried.length > 0) terminal.say(`${countText(retried.length, 'row')} run again.`)
}

async function workAndReport(work: BatchWork, { terminal }: CliContext): Promise<ExitCode> {
  const { batch, rows, start, stop, options } = work
  const progress = new BatchProgress(terminal, start)
  const note = (row: Row) => {
    const described = describeRow(row, start.price)
    progress.add(described.state)
    terminal.event('row', described)
  }
  try {
    await workRows(work, note)
  } finally {
    progress.end()
    if (stop.signal.aborted) await readAgain(rows, batch)
    if (options.report !== undefined)
      writeReport(
        options.report,
        rows.map((row) => describeRow(row, start.price)),
      )
  }
  const { credits } = await batch.runs.progress()
  return printReport(
    rows.map((row) => describeRow(row, start.price)),
    credits,
    terminal,
  )
}

/** What became of rows whose end was not awaited, as far as the store responds. */
async function readAgain(rows: readonly Row[], { runs }: Batch): Promise<void> {
  for (const row of rows) {
    const isOpen = row.run === undefined || row.run.state === 'waiting' || row.run.state === 'running'
    if (isOpen) row.run = (await runs.get(row.runKey).catch(() => undefined)) ?? row.run
  }
}

/** Files are fetched beside the runs, of so many rows at once. */
const SAVES_AT_ONCE = 8

/**
 * Runs every row and saves its files. When the signal aborts, the loop is left at once, also while it waits for files: as long as
 * it is not left, rows are sent.
 */
async function workRows(work: BatchWork, note: (row: Row) => void): Promise<void> {
  const { model, batch, rows, options, stop } = work
  const { signal } = stop
  const saves = new Set<Promise<void>>()
  const stopped = rejectionOf(signal)
  // The input is that of the batch, which may be another spelling of the row.
  const maxCredits = work.start.price
  const items = rows.map((row) => ({ row, key: row.runKey, input: row.run?.input ?? row.input, maxCredits }))
  const { concurrency } = options
  for await (const { item, run } of batch.runs.runEach(model, items, { concurrency, signal })) {
    signal.throwIfAborted()
    item.row.run = run
    const save = saveRow(item.row, run.output, work).then(() => note(item.row))
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

async function saveRow(row: Row, output: Output | undefined, work: BatchWork): Promise<void> {
  const { service, model, batch, rows, options, stop } = work
  row.files = batch.saved.filesOf(row.key)
  const jobId = row.run?.jobId
  if (output === undefined || jobId === undefined || row.files !== undefined) return
  // Files sort as the rows do.
  const padded = String(row.row).padStart(String(rows.length).length, '0')
  const values = { row: padded, key: row.key, model, job_id: jobId }
  const plan = { folder: options.out, template: options.name ?? BATCH_TEMPLATE, values, signal: stop.signal }
  try {
    const files = await saveOutputs(service.client, { job_id: jobId, output }, plan)
    batch.saved.add(row.key, files)
    row.files = files
  } catch (error) {
    // No more rows are paid whose files cannot be kept.
    if (stop.signal.aborted || diskProblem(error) !== undefined) throw error
    // Without the advice for programs.
    row.saveProblem = messageOf(error).replace(/ The result of the job .*$/s, '')
  }
}
