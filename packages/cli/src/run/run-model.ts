import { parseArgs } from 'node:util'
import type { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { checkTemplate, DEFAULT_TEMPLATE } from '../files/file-template.ts'
import { prepareFolder } from '../files/save-outputs.ts'
import { finishJob } from '../jobs/finish-job.ts'
import { readModel } from '../models/read-model.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { agreeOnPrice } from './agree-on-price.ts'
import { buildInput } from './build-input.ts'
import { Interruption } from './interruption.ts'
import { readRunArguments } from './read-run-arguments.ts'
import type { RunCommandOptions } from './run-options.ts'
import { submitRun } from './submit-run.ts'

/** Runs a model: parameters, price, submit, wait, files. */
export async function runModel(
  { id, rest, command }: { id: string; rest: readonly string[]; command: Command },
  context: CliContext,
): Promise<ExitCode> {
  const service = await createService(findServiceOptions(rest, command.opts()), context)
  const model = await readModel(service.client, id)
  const runArguments = readRunArguments(model, rest, command)
  const { options } = runArguments
  // A value that is `--json` is not the option.
  context.terminal.json = options.json === true
  const input = await buildInput(runArguments)
  await checkFiles(options)
  await agreeOnPrice({ credits: model.pricing.credits_per_run, subject: `A run of ${model.id}` }, options, context)
  const interruption = new Interruption(context)
  try {
    const job = await submitRun({ service, model, input, options, interruption }, context)
    return await finishJob({ ...job, client: service.client, options, interruption }, context)
  } finally {
    interruption.release()
  }
}

/** What cannot be saved is noticed before it is paid. */
async function checkFiles({ name, out, save, wait }: RunCommandOptions): Promise<void> {
  checkTemplate(name ?? DEFAULT_TEMPLATE, ['model', 'job_id', 'index'])
  if (save && wait) await prepareFolder(out ?? '.')
}

/** The options that lead to the service: the model, which says what else can stand there, is read with them. */
function findServiceOptions(rest: readonly string[], before: RunCommandOptions): ServiceOptions {
  const { values } = parseArgs({
    args: [...rest],
    options: { 'api-key-file': { type: 'string' }, 'base-url': { type: 'string' } },
    strict: false,
    allowPositionals: true,
  })
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    apiKeyFile: textOf(values['api-key-file']) ?? before.apiKeyFile,
    baseUrl: textOf(values['base-url']) ?? before.baseUrl,
  }
}
