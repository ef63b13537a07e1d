import { createHash, randomUUID } from 'node:crypto'
import type { JobHandle, Model } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { isClientError } from '../errors/report-error.ts'
import { Ledger } from '../ledger/ledger.ts'
import type { EndEntry } from '../ledger/ledger-entry.ts'
import type { Service } from '../service/create-client.ts'
import { cleanText } from '../terminal/clean-text.ts'
import type { RunInput } from './check-input.ts'
import type { Interruption } from './interruption.ts'
import type { RunCommandOptions } from './run-options.ts'

/** A run that is about to be sent. */
interface PlannedRun {
  service: Service
  model: Model
  input: RunInput
  options: RunCommandOptions
  interruption: Interruption
}

/** A run that the service has accepted. */
export interface SubmittedRun {
  job: JobHandle
  /** Its name in the ledger. */
  run: string
  ledger: Ledger
}

const NOTE = 'The run is being sent. Its job id follows; Ctrl-C again leaves without it.'

/** Sends a run. The ledger has the intent before, and the job as soon as its id is known. */
export async function submitRun(planned: PlannedRun, context: CliContext): Promise<SubmittedRun> {
  const { service, model, input, options, interruption } = planned
  const ledger = new Ledger(context.env)
  const run = randomUUID()
  const input_sha256 = createHash('sha256').update(JSON.stringify(input)).digest('hex')
  const credits = model.pricing.credits_per_run
  ledger.append({ type: 'intent', run, model: model.id, base_url: service.baseUrl, credits, input_sha256 })
  try {
    // The price may have changed since it was said.
    const maxCredits = options.maxCredits ?? credits
    const job = await interruption.hold(NOTE, () =>
      service.client.submit(model.id, { ...input }, { maxCredits, validateInput: true }),
    )
    ledger.append({ type: 'job', run, job_id: job.id })
    context.terminal.say(`job ${cleanText(job.id)}`)
    context.terminal.event('job', { job_id: job.id, model: model.id, status: 'queued' })
    return { job, run, ledger }
  } catch (error) {
    if (isClientError(error)) ledger.append({ type: 'end', run, status: endOf(error.submission) })
    throw error
  }
}

function endOf(submission: string): EndEntry['status'] {
  return submission === 'not_sent' || submission === 'rejected' ? submission : 'unknown'
}
