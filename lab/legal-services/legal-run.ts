import { isRecord } from '../../packages/conformance/src/json.ts'
import type { LegalModel } from './legal-catalog.ts'
import { isRejection, type LegalChoices, type Rejection } from './legal-choices.ts'
import { isWrongInput } from './legal-input.ts'
import { clockOf, errorOf, type LegalJob } from './legal-job.ts'
import { type Reply, reply } from './legal-responses.ts'

/** What a run asks for, or why it cannot be had. */
export interface RunOrder {
  sync: boolean
  webhookUrl: string | undefined
  /** Whether the job is made, and fails because of its input. */
  failsLater: boolean
}

/** Reads the request of `POST /v1/models/{model}/run` (section 4.3). */
export function readOrder(
  body: Record<string, unknown>,
  model: LegalModel | undefined,
  choices: LegalChoices,
): RunOrder | Rejection {
  if (model === undefined) return choices.unknownModelRun
  const { input, sync = true, webhook_url } = body
  if (!isRecord(input) || typeof sync !== 'boolean') return choices.missingInput
  const webhookUrl = webhook_url === undefined ? undefined : String(webhook_url)
  if (isRejection(choices.plainHttpWebhook) && webhookUrl?.startsWith('http:')) return choices.plainHttpWebhook
  const failsLater = isWrongInput(model.schema, input, choices)
  if (failsLater && isRejection(choices.invalidInput)) return choices.invalidInput
  return { sync, webhookUrl, failsLater }
}

export function queuedReply(job: LegalJob, choices: LegalChoices): Reply {
  const message = choices.runFields === 'many' ? { message: 'Poll the job for its result.' } : {}
  return reply(choices.asyncStatus, {
    ...identity(job, 'queued'),
    ...absentOf(choices),
    ...message,
    ...moreOf(job, choices),
  })
}

export function processingReply(job: LegalJob, choices: LegalChoices): Reply {
  const message = {
    path: `The result will be at GET /v1/jobs/${job.id}.`,
    word: 'Poll for the result.',
    sentence: "Accepted. Ask for the job's status until it has ended.",
  }[choices.pollMessage]
  return reply(202, { ...identity(job, 'processing'), ...absentOf(choices), message, ...moreOf(job, choices) })
}

/** Response to a run whose job ended while it was held. */
export function endedReply(
  job: LegalJob,
  choices: LegalChoices,
  { status, output }: { status: string; output: object },
): Reply {
  if (status === 'succeeded') {
    const duration_ms = job.endsAt - job.processingAt
    const result = { output, duration_ms, credits_used: job.model.credits }
    return reply(200, { ...identity(job, 'completed'), ...result, ...moreOf(job, choices) })
  }
  if (choices.failedSync === 202) return processingReply(job, choices)
  const error = errorOf(job, choices)
  const isPlain = choices.failedSyncBody === 'error-only' && choices.failedSync >= 400
  if (!isPlain) return reply(choices.failedSync, { ...identity(job, status), error })
  const [code, ofJob] = choices.failedSyncCode.split(' of a ')
  return reply(choices.failedSync, { error: { ...error, code }, ...(ofJob && { job_id: job.id }) })
}

function identity({ id, requestId, model }: LegalJob, status: string) {
  return { job_id: id, request_id: requestId, status, model_id: model.shown.id }
}

/** Members that section 4.3 does not name. */
function moreOf({ createdAt }: LegalJob, choices: LegalChoices) {
  const created_at = clockOf(choices)(createdAt)
  return { none: {}, few: { created_at }, many: { created_at, credits_remaining: 12, eta_ms: 4_000 } }[
    choices.runFields
  ]
}

/** What a job that has not ended does not have yet. */
function absentOf({ absent }: LegalChoices) {
  return absent === 'null' ? { output: null, error: null, credits_used: null, duration_ms: null } : {}
}
