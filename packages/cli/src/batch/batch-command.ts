import { Command, InvalidArgumentError } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addPriceOptions } from '../run/run-options.ts'
import { addServiceOptions } from '../service/service-options.ts'
import { BATCH_TEMPLATE, type BatchOptions } from './batch-options.ts'

const DETAILS = `
The same command again continues where the batch is, also after kill -9: no row is paid twice. What was sent is kept
in .modelrun in the folder of --out, which belongs to one service and account. A row is known by its content, however it
is written, or by the column of --key.

A row that failed or was rejected stays so. With --retry-failed it gets a new run, which is paid for itself; rows that
succeeded are left alone.

A row is "unknown" when the process or the connection ended while it was sent. It may have been charged, and is not
sent again by itself. If you know its job, use --job. --resubmit-unknown sends it again, which may pay twice.

Example:
  modelrun batch aurora-image --inputs prompts.csv --out pictures --max-credits 500 --report report.csv`

/** `modelrun batch` */
export function createBatchCommand(context: CliContext): Command {
  const command = new Command('batch')
    .description('run a model for each row of a file, at most once')
    .argument('<id>', 'id of the model')
    .requiredOption('--inputs <file>', 'rows: JSON lines, a JSON array, or CSV with a heading; - reads standard input')
    .requiredOption('-o, --out <folder>', 'save the files, and the state of the batch, there')
    .option('--concurrency <number>', 'runs that are under way at once', readCount, 8)
    .option('--polls-per-second <number>', 'the most that jobs are polled', readCount, 10)
    .option('--key <column>', 'the column that names a row for ever (default: its content)')
    .option('--ignore-columns <names>', 'columns that the model does not get, such as author,date', readNames)
    .option('--encoding <name>', 'encoding of --inputs, such as latin1 (default: UTF-8)')
    .option('--files <folder>', 'send files of this folder that rows name in place of urls')
    .option(
      '--name <template>',
      `name of a file, of {row} {key} {model} {job_id} {index} {ext} (default: ${BATCH_TEMPLATE})`,
    )
    .option('--report <file>', 'write what each row was and became, as CSV or .jsonl')
    .option('--retry-failed', 'run failed and rejected rows again; each is paid as a new run')
    .option('--job <row=job_id>', 'say that an unknown row is this job; repeatable', collect)
    .option('--resubmit-unknown', 'send unknown rows again; they may be paid twice')
    .option('--new-rows', 'pay for all rows, although the folder has a batch of other rows')
    .option('--same-account', 'the folder is of the same account, with a new key or at a new url')
    .addHelpText('after', DETAILS)
  return addServiceOptions(addPriceOptions(command, 'batch')).action(
    actionOf(context, async (id: string, options: BatchOptions) => {
      const { runBatch } = await import('./run-batch.ts')
      return runBatch(id, options, context)
    }),
  )
}

/** @throws InvalidArgumentError */
function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 on.')
}

function readNames(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value]
}
