import { isRecord } from '../../packages/conformance/src/json.ts'
import type { LegalModel } from './legal-catalog.ts'
import { isRejection, type LegalChoices, type Rejection } from './legal-choices.ts'
import { inputProblem } from './legal-input.ts'
import { clockOf, errorOf, type LegalJob } from './legal-job.ts'
import { type Reply, reply } from './legal-responses.ts'
import { specialInput, specialSync, specialWebhook } from './legal-special.ts'

/** What a run asks for, or why it cannot be had. */
export interface RunOrder {
  sync: boolean
  /** Empty where nothing can be delivered. */
  webhookUrl: string | undefined
  /** Whether the job is made, and fails because of its input. */
  failsLater: boolean
}

const KNOWN = ['input', 'sync', 'webhook_url']

/** Reads the request of `POST /v1/models/{model}/run` (section 4.3). */
export function readOrder(
  { text, contentType, model }: { text: string; contentType: string; model: LegalModel | undefined },
  choices: LegalChoices,
): RunOrder | Rejection {
  const isJson = /^application\/json\b/.test(contentType)
  if (!isJson && isRejection(choices.otherContentType)) return choices.otherContentType
  const body = parse(text)
  if (!isRecord(body)) return unreadable(text, choices)
  if (model === undefined) return choices.unknownModelRun
  if (isRejection(choices.unknownMember) && Object.keys(body).some((name) => !KNOWN.includes(name))) {
    return choices.unknownMember
  }
  const { input, sync: given = true, webhook_url } = body
  const sync = specialSync(given, choices)
  if (!isRecord(input)) return choices.missingInput
  if (typeof sync !== 'boolean') return choices.missingInput
  const webhook = webhookOf(webhook_url, choices)
  if (isRejection(webhook)) return webhook
  const special = specialInput(input, choices)
  if (special !== undefined) return special
  const problem = inputProblem(model.schema, input, choices)
  if (problem === 'unknown' && isRejection(choices.unknownParameter)) return choices.unknownParameter
  const isWrong = problem === 'missing' || problem === 'wrong'
  if (isWrong && isRejection(choices.invalidInput)) return choices.invalidInput
  return { sync, webhookUrl: webhook, failsLater: isWrong }
}

function unreadable(text: string, { brokenJson, emptyBody }: LegalChoices): Rejection {
  return text === '' && isRejection(emptyBody) ? emptyBody : brokenJson
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function webhookOf(url: unknown, choices: LegalChoices): string | undefined | Rejection {
  const { webhookScheme, plainHttpWebhook } = choices
  if (url === undefined) return undefined
  const special = specialWebhook(url, choices)
  if (special !== undefined) return isRejection(special) ? special : special.url
  if (isRejection(plainHttpWebhook) && /^http:/.test(String(url))) return plainHttpWebhook
  const isUsable = typeof url === 'string' && /^https?:/.test(url)
  if (isUsable) return url
  return isRejection(webhookScheme) ? webhookScheme : undefined
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
