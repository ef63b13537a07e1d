import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { JobHandle, Model } from 'modelrun'
import type { CliContext, CommandContext, ExitCode } from '../context.ts'
import { InterruptedError, isClientError } from '../errors.ts'
import { prepareFolder } from '../files/save-files.ts'
import { finishJob } from '../jobs/finish-job.ts'
import { Ledger } from '../ledger.ts'
import { priceOf, readModel } from '../models/read-model.ts'
import type { RunCommandOptions, ServiceOptions } from '../options.ts'
import { createService, type Service } from '../service/service.ts'
import { agreeOnPrice } from './agree-on-price.ts'
import { buildInput, type RunInput } from './input.ts'
import { Interruption } from './interruption.ts'
import { readRunArguments } from './run-arguments.ts'

export async function runModel(
  [id, rest]: [string, string[]],
  before: RunCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const early = findEarlyOptions(rest, before)
  context.terminal.json = early.json === true
  const service = await createService(early, context)
  const model = await readModel(service.client, id)
  const runArguments = readRunArguments(model, rest, context.command)
  const { options } = runArguments
  context.terminal.json = options.json === true
  const input = await buildInput(runArguments)
  // What cannot be saved is noticed before it is paid.
  if (options.save && options.wait) prepareFolder(options.out ?? '.')
  await agreeOnPrice({ credits: priceOf(model), subject: `A run of ${model.id}` }, options, context)
  const interruption = new Interruption(context)
  const ledger = new Ledger(context)
  const job = await submitRun({ service, model, input, options, interruption, ledger }, context)
  return await finishJob({ client: service.client, job, ledger, options, interruption }, context)
}

/** The options that count until the model is read, which says what else can stand there. */
function findEarlyOptions(rest: readonly string[], before: RunCommandOptions): ServiceOptions {
  const options = {
    'api-key-file': { type: 'string' },
    'base-url': { type: 'string' },
    json: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args: [...rest], options, strict: false, allowPositionals: true })
  const read = (name: keyof typeof options) => (typeof values[name] === 'string' ? values[name] : undefined)
  return {
    apiKeyFile: read('api-key-file') ?? before.apiKeyFile,
    baseUrl: read('base-url') ?? before.baseUrl,
    json: values.json === true || before.json,
  }
}

interface PlannedRun {
  service: Service
  model: Model
  input: RunInput
  options: RunCommandOptions
  interruption: Interruption
  ledger: Ledger
}

const NOTE = 'Stopping. The job id of a run that is on its way follows; Ctrl-C again leaves without it.'

/** Sends a run. The ledger has the intent before, and the job as soon as its id is known. */
async function submitRun(planned: PlannedRun, context: CliContext): Promise<JobHandle> {
  const { service, model, input, options, interruption, ledger } = planned
  const run = randomUUID()
  const credits = model.pricing.credits_per_run
  ledger.append({ type: 'intent', run, model: model.id, base_url: service.baseUrl, credits })
  interruption.note = NOTE
  try {
    // The price may have risen since it was said.
    const maxCredits = options.maxCredits ?? credits
    const { signal } = interruption
    const submitOptions = { maxCredits, validateInput: true, signal, keepSent: true }
    const job = await service.client.submit(model.id, { ...input }, submitOptions)
    ledger.append({ type: 'job', run, job_id: job.id })
    context.terminal.say(`job ${job.id}`)
    context.terminal.event('job', { job_id: job.id, model: model.id, status: 'queued' })
    return job
  } catch (error) {
    if (isClientError(error)) {
      const { submission } = error
      const isFree = submission === 'not_sent' || submission === 'rejected'
      ledger.append({ type: 'end', run, status: isFree ? submission : 'unknown' })
      if (isFree && error.code === 'aborted') throw new InterruptedError('stopped. Nothing is charged.')
    }
    throw error
  } finally {
    interruption.note = ''
  }
}
