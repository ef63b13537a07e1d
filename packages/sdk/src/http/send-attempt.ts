import { KEY_PREFIXES } from '@modelrun/contract'
import { abortable, linkController } from '../abort.ts'
import { startTimer } from '../clock.ts'
import { isModelRunError } from '../errors/guard.ts'
import type { ResolvedOptions } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import { describeNetworkFailure } from './network-failure.ts'
import type { Answer, Interruption, Outcome } from './operation.ts'
import { readBody } from './read-body.ts'
import type { SendRequest } from './send-request.ts'

/** Marks an abort as the time limit of one attempt. */
const TIMEOUT = /* @__PURE__ */ Symbol('timeout')

/** What one attempt runs under. */
export interface AttemptOptions {
  client: ResolvedOptions
  send: SendRequest
  /** The signal of the whole call. */
  signal: AbortSignal
  timeoutMs: number
  /** Below the base address, without query. */
  path: string
  body: string | undefined
  /** 1 for the first attempt of a call. */
  attempt: number
}

/** Sends a request once and reads the whole answer, all under one timer. Never rejects. */
export async function sendAttempt(request: Request, options: AttemptOptions): Promise<Outcome> {
  const controller = linkController(options.signal)
  const stopTimer = startTimer(options.client.clock, options.timeoutMs, () => controller.abort(TIMEOUT))
  try {
    return await exchange(request, options, controller.signal)
  } finally {
    stopTimer()
    controller.release()
  }
}

async function exchange(
  request: Request,
  { client, send, ...sent }: AttemptOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  let apiKey: string
  try {
    apiKey = await abortable(client.apiKey(), signal)
  } catch (cause) {
    if (signal.aborted) return interrupted(signal, false)
    const reason = `the function \`apiKey\` failed: ${reasonOf(cause).replace(/\.$/, '')}`
    return { kind: 'no_key', reason, submission: 'not_sent', cause }
  }
  let wasSent = false
  const onSend = () => {
    wasSent = true
  }
  try {
    const response = await abortable(send(request, { ...sent, apiKey, signal, onSend }), signal)
    const { text, isCut } = await readBody(response, signal)
    const answer: Answer = { status: response.status, text: redact(text, apiKey), response, isCut }
    return isCut && signal.aborted ? { ...interrupted(signal, wasSent), partial: answer } : { kind: 'answer', answer }
  } catch (error) {
    return signal.aborted ? interrupted(signal, wasSent) : disconnected(error, apiKey, wasSent)
  }
}

function reasonOf(cause: unknown): string {
  return isModelRunError(cause) ? cause.message : describeNetworkFailure(cause).reason
}

function disconnected(error: unknown, apiKey: string, wasSent: boolean): Interruption {
  const { reason, isBeforeConnection, cause } = describeNetworkFailure(error, (text) => redact(text, apiKey))
  const submission = isBeforeConnection || !wasSent ? 'not_sent' : 'unknown'
  return { kind: 'connection', reason, submission, cause }
}

function interrupted(signal: AbortSignal, wasSent: boolean): Interruption {
  const submission = wasSent ? 'unknown' : 'not_sent'
  if (signal.reason === TIMEOUT) return { kind: 'timeout', reason: 'time limit', submission, cause: undefined }
  if (signal.reason === DEADLINE) return { kind: 'deadline', reason: 'deadline', submission, cause: undefined }
  return { kind: 'aborted', reason: 'aborted', submission, cause: signal.reason }
}

/**
 * Blots out the key in what a service echoes. What is no longer than the prefix of a key (section 5) is no key but a
 * placeholder, like `test`: replacing that would garble results.
 */
function redact(text: string, apiKey: string): string {
  return apiKey.length > KEY_PREFIXES.live.length ? text.replaceAll(apiKey, '[redacted]') : text
}
