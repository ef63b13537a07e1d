import type { Job, RunRequest, RunResponse } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { isModelRunError } from '../errors/guards.ts'
import type { ApiResult } from '../http/operation.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import { asKnownStatus } from '../jobs/job-status.ts'
import { traceSubmit } from '../observe/submit-span.ts'
import type { Scope } from '../scope.ts'
import type { AnyRunResponse } from './run-answer.ts'
import { runOperation } from './run-operation.ts'
import type { SubmitOptions } from './run-options.ts'

/** A run that is ready to be sent. */
export interface Submission {
  model: string
  input: Record<string, unknown>
  /** `sync: false`, or nothing to have the run held. */
  mode: Pick<RunRequest, 'sync'>
  scope: Scope
  options: SubmitOptions
}

/** The response to a run, and the job that it named. */
export interface SentRun extends Omit<ApiResult<AnyRunResponse>, 'data'> {
  answer: AnyRunResponse
  reference: JobReference
  /** Milliseconds from sending to the answer. */
  elapsedMs: number
}

/** Sends a run, once. With a webhook receiver, the receiver knows of it before and after. */
export async function sendRun(core: Core, submission: Submission): Promise<SentRun> {
  const { model, options } = submission
  const { webhook, webhookUrl } = options
  if (webhook === undefined) {
    return send(core, submission, webhookUrl === undefined ? {} : { webhook_url: webhookUrl })
  }
  const { url, ref } = await webhook.prepare({ modelId: model })
  try {
    const sent = await send(core, submission, { webhook_url: url })
    await told(core, webhook.expect(sent.reference.jobId, { ref, modelId: model }))
    return sent
  } catch (error) {
    if (isNotAccepted(error)) await told(core, webhook.forget(ref))
    throw error
  }
}

async function send(
  core: Core,
  { model, input, mode, scope, options }: Submission,
  webhook: Pick<RunRequest, 'webhook_url'>,
): Promise<SentRun> {
  const { clock } = core.options
  return await traceSubmit(core, model, async (onAttempt) => {
    const submittedAt = clock.now()
    const {
      data: answer,
      response,
      requestId,
    } = await core.transport.call(runOperation(model, { input, ...mode, ...webhook }), {
      scope,
      options,
      onAttempt,
    })
    const seenAt = clock.now()
    const known =
      answer.status === 'unknown' ? { modelId: model } : { ...describe(answer), seenAt, state: stateOf(answer) }
    const creditsPerRun = core.modelCache.priceOf(model)
    const reference = { jobId: answer.job_id, submittedAt, creditsPerRun, ...known }
    return { answer, reference, elapsedMs: seenAt - submittedAt, response, requestId }
  })
}

/** The state that the response to a run shows: its job is queued, is being processed, or has succeeded already. */
function stateOf(answer: RunResponse): Job {
  const { status } = answer
  return status === 'completed' ? { status: asKnownStatus(status), output: answer.output } : { status }
}

function describe(answer: { model_id: string; request_id: string }): Pick<JobReference, 'modelId' | 'requestId'> {
  return { modelId: answer.model_id, requestId: answer.request_id }
}

/** The run is paid for: a receiver that cannot write it down must not lose it. Its polls find the result. */
async function told({ options }: Core, note: Promise<void>): Promise<void> {
  try {
    await note
  } catch (error) {
    options.log.warn(`the webhook receiver could not note what became of a run: ${String(error)}`)
  }
}

function isNotAccepted(error: unknown): boolean {
  return isModelRunError(error) && (error.submission === 'not_sent' || error.submission === 'rejected')
}
