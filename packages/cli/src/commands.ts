import { Command } from 'commander'
import type { CommandEntry } from './context.ts'
import {
  addConnectionOptions,
  addFileOptions,
  addPriceOptions,
  addRunOptions,
  addSameAccount,
  addServiceOptions,
  readCount,
  readDelimiter,
} from './options.ts'

const RUN_DETAILS = `
Parameters:
  They are options, made of the model's own schema. See them with \`modelrun run <id> --help\`.
  A list is given by repeating its option, an object as JSON, a switch as --name or --no-name.
  A file in place of a url is sent as a data URI.

Examples:
  modelrun run aurora-image 'a red fox'
  modelrun run aurora-image --prompt 'a red fox' --num-images 2 --out images
  modelrun run inkfield/restyle --image-url photo.png --prompt 'as a woodcut'
  echo '{"prompt":"a red fox"}' | modelrun run aurora-image -`

const BATCH_DETAILS = `
The same command again continues where the batch is, also after kill -9: no row is paid twice. What was sent is kept
in .modelrun in the folder of --out, which belongs to one service and account. A row is known by its content, however it
is written, or by the column of --key.

A row is "unknown" when the process or the connection ended while it was sent. It may have been charged, and is not
sent again by itself. If you know its job, use --job. --resubmit-unknown sends it again, which may pay twice.

Examples:
  modelrun batch aurora-image --inputs prompts.csv --out images --dry-run
  modelrun batch aurora-image --inputs prompts.csv --out images --max-credits 500 --report report.csv
  modelrun batch status --out images`

const REPORT = [
  '--report <file>',
  'write what each row was and became, as CSV or .jsonl; also when the batch stops',
] as const
const STATE_OUT = ['-o, --out <folder>', 'save the files, and the state of the batch, there'] as const

const BATCH_STATUS = new Command('status')
  .description('show the state of the rows of a batch so far')
  .requiredOption(...STATE_OUT)
  .option('--fetch', 'wait for the rows that were sent, and save their files; nothing is sent')
  .option('--job <key=job_id...>', 'say that an unknown row is this job, and fetch')
  .option(...REPORT)

const BATCH = new Command('batch')
  .description('run a model for each row of a file, at most once')
  .argument('<id>', 'id of the model')
  // Checked by the command itself: they are not needed for its status.
  .option('--inputs <file>', 'rows: JSON lines, a JSON array, or CSV with a heading; - reads standard input')
  .option(...STATE_OUT)
  .option('--dry-run', 'check the rows, and show their price and state; nothing is sent')
  .option('--limit <rows>', 'run only the first rows of the file', readCount(1))
  .option('--concurrency <number>', 'runs that are under way at once', readCount(1), 8)
  .option('--polls-per-second <number>', 'the most that jobs are polled', readCount(1), 10)
  .option('--key <column>', 'the column that names a row for ever (default: its content)')
  .option('--ignore-columns <names>', 'columns that the model does not get, such as author,date', (text) =>
    text.split(',').map((name) => name.trim()),
  )
  .option('--delimiter <character>', 'what is between the cells (default: as the heading has it)', readDelimiter)
  .option('--files <folder>', 'send files of this folder that rows name in place of urls')
  .option(...REPORT)
  .option('--retry-failed', 'run failed and rejected rows again; each is paid as a new run')
  .option('--job <row=job_id...>', 'say that an unknown row is this job')
  .option('--resubmit-unknown', 'send unknown rows again; they may be paid twice')
  .option('--new-rows', 'pay for all rows, although the folder has a batch of other rows')
  .addHelpText('after', BATCH_DETAILS)
  .addCommand(BATCH_STATUS)

/** The commands for models and their runs. Each loads what it needs when it runs. */
export const MODEL_COMMANDS: readonly CommandEntry[] = [
  [
    new Command('models')
      .description('list the models')
      .option('--search <text>', 'only models whose name or description has this text')
      .option('--category <name>', 'only models of this category, such as text-to-image'),
    [addServiceOptions],
    async () => (await import('./models/show-models.ts')).listModels,
  ],
  [
    new Command('model').description('show a model: parameters and price').argument('<id>'),
    [addServiceOptions],
    async () => (await import('./models/show-models.ts')).showModel,
  ],
  // What stands behind the id is read when the parameters of the model are known.
  [
    new Command('run')
      .description('run a model, wait for its end and save the files')
      .usage('<id> [prompt] [parameters] [options]')
      .argument('<id>', 'id of the model')
      .argument('[rest...]', 'its prompt, and parameters')
      .passThroughOptions()
      .addHelpText('after', RUN_DETAILS),
    [addRunOptions],
    async () => (await import('./run/run-model.ts')).runModel,
  ],
  [
    BATCH,
    [addSameAccount, (command) => addPriceOptions(command, 'batch'), addServiceOptions],
    async () => (await import('./batch/run-batch.ts')).runBatch,
  ],
  [BATCH_STATUS, [addSameAccount, addServiceOptions], async () => (await import('./batch/show-status.ts')).showStatus],
  [
    new Command('job')
      .description('show a job; without an id, the runs that were started here')
      .argument('[id]')
      .option('-w, --watch', 'wait for its end and save its files'),
    [addFileOptions, addServiceOptions],
    async () => (await import('./jobs/show-jobs.ts')).showJob,
  ],
  [
    new Command('cancel').description('cancel a job; it is not charged then').argument('<id>'),
    [addServiceOptions],
    async () => (await import('./jobs/show-jobs.ts')).cancelJob,
  ],
  [
    new Command('types')
      .description('write the input types of models into a file of a program')
      .argument('[ids...]', 'the models (default: those that the file has)')
      .option('--all', 'every model of the catalog')
      .option('-o, --out <file>', 'the file: .d.ts or .ts', 'modelrun.models.d.ts')
      .option('--check', 'compare the file with the catalog; exit code 1 when they differ')
      .option('--open', 'allow literal ids that the file does not have'),
    [addConnectionOptions],
    async () => (await import('./types/run-types.ts')).runTypesCommand,
  ],
]
