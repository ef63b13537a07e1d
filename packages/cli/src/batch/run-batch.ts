import type { ModelRun } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { RejectedRunError } from '../errors/rejected-run-error.ts'
import type { ExitCode } from '../exit-codes.ts'
import { checkTemplate } from '../files/file-template.ts'
import { prepareFolder } from '../files/save-outputs.ts'
import { countText, priceText } from '../models/price-text.ts'
import { readModel } from '../models/read-model.ts'
import { agreeOnPrice } from '../run/agree-on-price.ts'
import { Interruption } from '../run/interruption.ts'
import { parametersOf } from '../run/parameter.ts'
import { createService } from '../service/create-client.ts'
import { readApiKey } from '../service/read-api-key.ts'
import { bindAccount, checkAccount } from './batch-account.ts'
import { BATCH_TEMPLATE, type BatchOptions } from './batch-options.ts'
import { BatchProgress, type BatchStart } from './batch-progress.ts'
import { reportBatch, writeReport } from './batch-report.ts'
import { batchRows } from './batch-rows.ts'
import { BatchStop } from './batch-stop.ts'
import { decideUnknown } from './decide-unknown.ts'
import { type Batch, openBatch } from './open-batch.ts'
import { readRows } from './read-rows.ts'
import { findAttempts, nextAttempts, type RowAttempt } from './row-attempts.ts'
import { workRows } from './work-rows.ts'

/** Runs a model for each row of a file, at most once for each row, over any number of starts. */
export async function runBatch(id: string, options: BatchOptions, context: CliContext): Promise<ExitCode> {
  checkTemplate(options.name ?? BATCH_TEMPLATE, ['row', 'key', 'model', 'job_id', 'index'])
  const service = await createService(options, context)
  const { client, baseUrl } = service
  const account = { baseUrl, apiKey: readApiKey(options.apiKeyFile, context).apiKey, options }
  await checkAccount(account)
  const model = await readModel(service.client, id)
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
  await prepareFolder(options.out)
  const interruption = new Interruption(context)
  const stop = new BatchStop(interruption, context)
  try {
    await bindAccount(account)
    const batch = await openBatch({ client, options }, stop)
    stop.batch = batch
    const found = await findAttempts(batch.runs, given, rules)
    const decided = await decideUnknown(found, { client, runs: batch.runs, options })
    const rows = nextAttempts(decided, options)
    const price = model.pricing.credits_per_run
    const start = await findStart(batch, rows, price)
    checkFound(found, start, options)
    await agree({ model: model.id, start }, options, context)
    await addRetries(batch, { model: model.id, found, rows }, context)
    return await work({ client, model: model.id, batch, rows, start, price, stop, options }, context)
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
async function agree(
  { model, start }: { model: string; start: BatchStart },
  options: BatchOptions,
  context: CliContext,
): Promise<void> {
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
  { runs }: Batch,
  { model, found, rows }: { model: string; found: readonly RowAttempt[]; rows: readonly RowAttempt[] },
  { terminal }: CliContext,
): Promise<void> {
  const retries = rows.filter(({ attempt }, index) => attempt !== found[index]?.attempt)
  await Promise.all(retries.map(({ runKey, input }) => runs.add(runKey, model, { ...input })))
  if (retries.length > 0) terminal.say(`${countText(retries.length, 'row')} run again.`)
}

interface BatchWork {
  client: ModelRun
  model: string
  batch: Batch
  rows: readonly RowAttempt[]
  start: BatchStart
  price: number
  stop: BatchStop
  options: BatchOptions
}

async function work(plan: BatchWork, context: CliContext): Promise<ExitCode> {
  const { stop, options, batch } = plan
  const progress = new BatchProgress(context.terminal, plan.start)
  try {
    const ends = await workRows({ ...plan, signal: stop.signal, progress }, context)
    progress.end()
    if (options.report !== undefined) await writeReport(options.report, ends)
    const { credits } = await batch.runs.progress()
    return reportBatch(ends, credits, context.terminal)
  } finally {
    progress.end()
  }
}
