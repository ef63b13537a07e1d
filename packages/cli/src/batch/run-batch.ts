import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { RejectedRunError, UsageError } from '../errors.ts'
import { KEEP_FOLDER, prepareFolder } from '../files/save-files.ts'
import { priceOf, readModel } from '../models/read-model.ts'
import { agreeOnPrice } from '../run/agree-on-price.ts'
import { readParameters } from '../run/parameters.ts'
import { createService, type Service } from '../service/service.ts'
import { countText, priceText, shellWord } from '../terminal/text.ts'
import { checkAccount, isBound } from './account.ts'
import { decideUnknown, findAttempts, setRun, startAttempts } from './attempts.ts'
import { BatchProgress, type BatchStart } from './batch-progress.ts'
import { BatchStop } from './batch-stop.ts'
import { listRuns } from './list-runs.ts'
import type { Batch } from './open-batch.ts'
import { readRows } from './read-rows.ts'
import { checkReport, describeRow, printReport, writeReport } from './report.ts'
import { rowContent, runKey } from './row-keys.ts'
import { createRows, isSent, type Row, type RowRules } from './rows.ts'
import { type BatchOptions, type BatchWork, workRows } from './work-rows.ts'

/** Runs a model for each row of a file, at most once for each row, over any number of starts. */
export async function runBatch([id]: [string], options: BatchOptions, context: CliContext): Promise<ExitCode> {
  const missing = (['inputs', 'out'] as const).find((name) => options[name] === undefined)
  if (missing !== undefined)
    throw new UsageError(`--${missing} is missing. \`modelrun batch --help\` shows an example.`)
  if (options.report !== undefined) checkReport(options.report, options)
  const service = await createService(options, context)
  checkAccount(options, service)
  const { rules, price, rows } = await readWork(id, { service, options, context })
  prepareFolder(options.out, KEEP_FOLDER)
  const stop = new BatchStop(context)
  return await stop.work({ service, options }, async (batch) => {
    await findAttempts(batch, rows, rules)
    if (!options.dryRun) await decideUnknown(rows, { client: service.client, runs: batch.runs, options })
    await checkFound(batch, rows, options)
    const retried = startAttempts(rows, options)
    const paid = rows.filter((row) => !isSent(row) && batch.saved.has(row.key))
    if (paid.length > 0 && !options.newRows) throw new RejectedRunError(olderText(paid.length, options))
    const work = { service, rules, batch, rows, start: await findStart(batch, rows, price), stop, options }
    await agree(work, context)
    if (options.dryRun) return await reportDryRun(work, context)
    // Their new results are to be saved too.
    for (const { key } of paid) batch.saved.add(key, {})
    await storeAgreed(work, retried, context)
    await batch.runs.resume()
    return await workAndReport(work, context)
  })
}

/** Reads the model and the rows for it. */
async function readWork(
  id: string,
  { service, options, context }: { service: Service; options: BatchOptions; context: CliContext },
): Promise<{ rules: RowRules; price: number; rows: Row[] }> {
  try {
    const model = await readModel(service.client, id)
    const { key, files, ignoreColumns: ignored = [] } = options
    const parameters = readParameters(model, [])
    const rules = { model: model.id, schema: model.input_schema, parameters, key, ignored, files }
    return { rules, price: priceOf(model), rows: await readBatchRows(options, rules, context) }
  } catch (error) {
    // The model may have changed since, or be gone.
    if (isBound(options)) {
      const command = `modelrun batch status --out ${shellWord(options.out)} --fetch`
      context.terminal.say(`The results of rows that were sent are fetched with: ${command}`)
    }
    throw error
  }
}

async function readBatchRows(options: BatchOptions, rules: RowRules, { terminal }: CliContext): Promise<Row[]> {
  const raw = await readRows(options)
  const rows = await createRows(raw.rows, rules)
  const blank = raw.blank + raw.rows.length - rows.length
  if (blank > 0) terminal.say(`${countText(blank, 'row')} without a value for the model left out.`)
  return rows.slice(0, options.limit)
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

function olderText(count: number, { out }: BatchOptions): string {
  const known = `${countText(count, 'row')} of this file would be paid again: .modelrun/saved.jsonl in ${out} has them, and batch.db is older.`
  return `${known} Nothing was sent. Restore the newest batch.db; to pay for these rows again, add --new-rows.`
}

async function findStart(batch: Batch, rows: readonly Row[], price: number): Promise<BatchStart> {
  const sent = rows.filter(isSent)
  const ended = sent.filter(({ run }) => run?.state !== 'running')
  const { credits, waiting } = await batch.runs.progress()
  const own = new Set(rows.filter(({ run }) => run?.state === 'waiting').map(runKey))
  const all = own.size === waiting ? [] : await listRuns(batch)
  const left = all.filter(({ state, key }) => state === 'waiting' && !own.has(key))
  const leftCredits = left.reduce((sum, { maxCredits = price }) => sum + maxCredits, 0)
  const sums = { credits, left: { runs: left.length, credits: leftCredits } }
  return { total: rows.length, ended: ended.length, sent: sent.length, price, ...sums }
}

/** Says what the rest costs. The limit counts for the whole batch. @throws RejectedRunError */
async function agree(work: BatchWork, context: CliContext): Promise<void> {
  const { rules, start, options } = work
  const { total: rows, sent, left } = start
  const credits = (rows - sent) * start.price + left.credits
  const whole = start.credits + credits
  if (sent > 0) context.terminal.say(`${sent} of ${rows} rows were sent before, for ${priceText(start.credits)}.`)
  if (rows === sent && left.runs === 0) return
  if (options.maxCredits !== undefined && whole > options.maxCredits) {
    throw new RejectedRunError(
      `The whole batch costs ${priceText(whole)}, more than --max-credits ${options.maxCredits}. Nothing was sent.`,
    )
  }
  const equal = countEqual(work)
  if (equal > 0) {
    const are = `${countText(equal, 'row')} ${equal === 1 ? 'is' : 'are'}`
    context.terminal.say(`${are} equal to an earlier one: ${priceText(equal * start.price)} of ${priceText(credits)}.`)
  }
  const others = left.runs === 0 ? '' : `, with ${countText(left.runs, 'run')} that earlier commands left waiting,`
  const subject = `A batch of ${countText(rows - sent, 'run')} of ${rules.model}${others}`
  const yes = options.yes || options.dryRun || options.maxCredits !== undefined
  await agreeOnPrice({ credits, subject }, { yes }, context)
}

function countEqual({ rows, rules }: BatchWork): number {
  const contents = new Set<string>()
  const repeated = rows.filter((row) => {
    const content = rowContent(row.input, rules.schema)
    const isEqual = contents.has(content)
    contents.add(content)
    return isEqual && !isSent(row)
  })
  return repeated.length
}

async function reportDryRun({ batch, rows, options }: BatchWork, { terminal }: CliContext): Promise<ExitCode> {
  const reports = rows.map(describeRow)
  const { credits } = await batch.runs.progress()
  await printReport(reports, { ...options, credits, terminal })
  terminal.say('Nothing was sent, as --dry-run says.')
  return EXIT.done
}

/**
 * Stores all retries before the first is sent: after a kill the same command continues with them, also without the option. Rows
 * that wait, of which each may be the first one that is sent, get the price that is agreed to now.
 */
async function storeAgreed(
  { batch, rules, rows, start }: BatchWork,
  retried: readonly Row[],
  { terminal }: CliContext,
): Promise<void> {
  const agreed = { maxCredits: start.price }
  const waiting = rows.filter(({ run }) => run?.state === 'waiting' && run.maxCredits !== start.price)
  const add = (row: Row) => batch.runs.add(runKey(row), rules.model, { ...(row.run?.input ?? row.input) }, agreed)
  await Promise.all([...retried, ...waiting].map(add))
  if (retried.length > 0) terminal.say(`${countText(retried.length, 'row')} run again.`)
}

async function workAndReport(work: BatchWork, { terminal }: CliContext): Promise<ExitCode> {
  const { batch, rows, start, stop, options } = work
  const progress = new BatchProgress(terminal, start)
  const note = (row: Row) => {
    const described = describeRow(row)
    progress.add(described.state)
    terminal.event('row', described)
  }
  const [end] = await Promise.allSettled([workRows(work, note)])
  progress.end()
  const describe = () => rows.map(describeRow)
  if (stop.signal.aborted) {
    await readAgain(rows, batch)
    // Of a second Ctrl-C, which ends the wait.
    writeReport(describe(), { ...options, terminal })
    await stop.settle()
    await readAgain(rows, batch)
  }
  const reports = describe()
  const sent = reports.filter(({ state }) => state !== 'waiting' && state !== 'rejected')
  const known = end.status === 'fulfilled' ? undefined : { credits: sent.length * start.price }
  const { credits } = await batch.runs.progress().catch((error: unknown) => known ?? Promise.reject(error))
  const code = await printReport(reports, { ...options, credits, terminal })
  if (end.status === 'rejected') throw end.reason
  return code
}

async function readAgain(rows: readonly Row[], { runs }: Batch): Promise<void> {
  for (const row of rows) {
    const isOpen = row.run === undefined || row.run.state === 'waiting' || row.run.state === 'running'
    if (isOpen) setRun(row, (await runs.get(runKey(row)).catch(() => undefined)) ?? row.run)
  }
}
