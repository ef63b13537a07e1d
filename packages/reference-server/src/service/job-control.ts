import { errorDetailSchema, type KnownJobStatus, type Output, type ServiceErrorCode } from '@modelrun/contract'
import { rejectArgument } from '@modelrun/kit'
import { type Job, type JobEnd, providerFailure, statusAt } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import { scriptedOutputSchema } from '../domain/scripted-outcome.ts'
import { parseCopy, parseShape, shapeProblem } from '../shared/parse-shape.ts'
import type { Service } from './service.ts'

/** A job, for a test to read and to end. */
export interface JobControl {
  /** The `job_id`. */
  readonly id: string
  /** The `request_id`, the identifier at the provider. */
  readonly requestId: string
  /** Id of the model that was run. */
  readonly modelId: string
  /** The parameters of the run. */
  readonly input: Readonly<Record<string, unknown>>
  /** As of now (section 3). */
  readonly status: KnownJobStatus
  /** Of a job that succeeded. */
  readonly output: Output | undefined
  /**
   * Ends the job as succeeded now: held runs get their response, the webhook is called, credits are charged.
   *
   * @param output default: files that the server makes
   * @throws Error when the job has already ended; ConfigurationError for what is not an output
   */
  complete(output?: Output): void
  /** Ends the job as failed now. @param code default `PROVIDER_FAILURE` @throws Error when the job has already ended */
  fail(code?: ServiceErrorCode, message?: string): void
}

/** @throws Error for an unknown id */
export function controlJob(service: Service, id: string): JobControl {
  const job = service.jobs.find(id)
  if (job === undefined) throw new Error(`There is no job ${JSON.stringify(id)}. The response to a run has its job_id.`)
  const end = (how: Omit<JobEnd, 'at'>) => endJob(service, job, how)
  return {
    id: job.id,
    requestId: job.requestId,
    modelId: job.model.id,
    input: job.input,
    get status() {
      return statusNow(service, job)
    },
    get output() {
      return statusNow(service, job) === 'succeeded' ? outputOf(job, service.baseUrl) : undefined
    },
    complete: (output) => end({ status: 'succeeded', output: output === undefined ? output : checkOutput(output) }),
    fail: (code, message) => {
      const checked = parseShape(errorDetailSchema, providerFailure(job.model, code, message))
      if (!checked.ok) return rejectArgument('job.fail', 'error', shapeProblem(checked.message))
      end({ status: 'failed', error: checked.value })
    },
  }
}

function statusNow(service: Service, job: Job): KnownJobStatus {
  service.jobs.settle()
  return statusAt(job, service.clock.now())
}

function endJob(service: Service, job: Job, end: Omit<JobEnd, 'at'>): void {
  if (service.jobs.end(job, end)) return
  throw new Error(`The job ${job.id} has already ended: it is ${statusNow(service, job)}.`)
}

function checkOutput(output: Output): Output {
  const checked = parseCopy(scriptedOutputSchema, output)
  if (checked.ok) return checked.value
  return rejectArgument('job.complete', 'output', `is not that of section 2.5: ${checked.message}`)
}
