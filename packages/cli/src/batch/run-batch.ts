import type { ModelRun } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { InterruptedError } from '../errors/interrupted-error.ts'
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
import { BATCH_TEMPLATE, type BatchOptions } from './batch-options.ts'
import { BatchProgress, type BatchStart } from './batch-progress.ts'
import { reportBatch, writeReport } from './batch-report.ts'
import { batchRows } from './batch-rows.ts'
import { decideUnknown } from './decide-unknown.ts'
import { type Batch, openBatch } from './open-batch.ts'
import { readRows } from './read-rows.ts'
import { findAttempts, nextAttempts, type RowAttempt } from './row-attempts.ts'
import { workRows } from './work-rows.ts'

/** Runs a model for each row of a file, at most once for each row, over any number of starts. */
export async function runBatch(id: string, options: BatchOptions, context: CliContext): Promise<ExitCode> {
  checkTemplate(options.name ?? BATCH_TEMPLATE, ['row', 'key', 'model', 'job_id', 'index'])
  const service = await createService(options, context)
  const { client } = service
  const model = await readModel(service, id)
  const { key, files } = options
  const rules = { model: model.id, schema: model.input_schema, parameters: parametersOf(model, []), key, files }
  const given = await batchRows(await readRows(options.inputs), rules)
  await prepareFolder(options.out)
  const stop = new AbortController()
  const batch = await openBatch({ client, options }, (reason) => stop.abort(reason))
  const interruption = new Interruption(context)
  try {
    const { terminal } = context
    const found = await findAttempts(batch.runs, given)
    await decideUnknown(batch.runs, found, { options, terminal })
    const rows = options.retryFailed ? nextAttempts(found) : found
    const start = await findStart(batch, rows, model.pricing.credits_per_run)
    await agree({ model: model.id, start, rows: rows.length, sent: start.sent }, options, context)
    await addRetries(batch, { model: model.id, found, rows }, context)
    return await work({ client, model: model.id, batch, rows, start, stop, interruption, options }, context)
  } finally {
    interruption.release()
    await batch.runs.stop()
    await batch.engine.close()
  }
}

/** State of the batch when a process starts. */
async function findStart(
  { runs }: Batch,
  rows: readonly RowAttempt[],
  price: number,
): Promise<BatchStart & { sent: number }> {
  let [ended, sent] = [0, 0]
  for (const { runKey } of rows) {
    const run = await runs.get(runKey)
    if (run !== undefined && run.state !== 'waiting') sent += 1
    if (run !== undefined && !['waiting', 'running'].includes(run.state)) ended += 1
  }
  const { credits } = await runs.progress()
  return { total: rows.length, ended, sent, price, credits }
}

/** Says what the rest costs. The limit counts for the whole batch. @throws RejectedRunError */
async function agree(
  { model, start, rows, sent }: { model: string; start: BatchStart; rows: number; sent: number },
  options: BatchOptions,
  context: CliContext,
): Promise<void> {
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

/** Stores all retries before the first is sent: after a kill the same command continues with them, also without `--retry-failed`. */
async function addRetries(
  { runs }: Batch,
  { model, found, rows }: { model: string; found: readonly RowAttempt[]; rows: readonly RowAttempt[] },
  { terminal }: CliContext,
): Promise<void> {
  const retries = rows.filter(({ attempt }, index) => attempt !== found[index]?.attempt)
  await Promise.all(retries.map(({ runKey, input }) => runs.add(runKey, model, input)))
  if (retries.length > 0) terminal.say(`${countText(retries.length, 'row')} run again, which failed or were rejected.`)
}

interface BatchWork {
  client: ModelRun
  model: string
  batch: Batch
  rows: readonly RowAttempt[]
  start: BatchStart
  stop: AbortController
  interruption: Interruption
  options: BatchOptions
}

async function work(plan: BatchWork, context: CliContext): Promise<ExitCode> {
  const { stop, interruption, options, batch } = plan
  const progress = new BatchProgress(context.terminal, plan.start)
  const signal = AbortSignal.any([stop.signal, interruption.signal])
  try {
    const ends = await workRows({ ...plan, signal, progress }, context)
    progress.end()
    if (options.report !== undefined) await writeReport(options.report, ends)
    const { credits } = await batch.runs.progress()
    return reportBatch(ends, credits, context.terminal)
  } catch (error) {
    progress.end()
    if (interruption.signal.aborted) {
      throw new InterruptedError(
        'stopped. Runs that were sent continue. The same command again continues with the batch.',
      )
    }
    // The key, its permissions or its credits do not suffice.
    if (stop.signal.aborted) context.terminal.say('The batch is paused. The same command again continues with it.')
    throw stop.signal.aborted ? stop.signal.reason : error
  }
}
