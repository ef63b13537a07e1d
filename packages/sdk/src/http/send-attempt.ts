import { KEY_PREFIXES } from '@modelrun/contract'
import { abortable, linkController } from '../abort.ts'
import { startTimer } from '../clock.ts'
import { isConfigurationError } from '../errors/guards.ts'
import type { ResolvedOptions } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import type { ResolvedFetchOptions } from './fetch-options.ts'
import { describeNetworkFailure } from './network-failure.ts'
import type { Interruption, Outcome, ReceivedResponse } from './operation.ts'
import { readBody } from './read-body.ts'
import type { SendRequest } from './send-request.ts'

/** Marks an abort as the time limit of one attempt. */
const TIMEOUT = /* @__PURE__ */ Symbol('timeout')

/** The options of one attempt. */
export interface AttemptOptions {
  client: ResolvedOptions
  send: SendRequest
  /** The signal of the whole call. */
  signal: AbortSignal
  timeoutMs: number
  /** Below `baseUrl`, without query. */
  path: string
  method: string
  body: string | undefined
  fetchOptions: ResolvedFetchOptions
  /** 1 for the first attempt of a call. */
  attempt: number
}

/** Sends a request once and reads the whole response, under one time limit. Never rejects. */
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
  if (signal.aborted) return interrupted(signal, false)
  let apiKey: string | undefined
  try {
    const found = client.apiKey?.()
    apiKey = typeof found === 'object' ? await abortable(found, signal) : found
  } catch (cause) {
    if (signal.aborted) return interrupted(signal, false)
    return { kind: 'no_key', reason: reasonOf(cause), submission: 'not_sent', cause }
  }
  // Number of requests that may have reached the service.
  let openCount = 0
  const onSend = () => void openCount++
  const onUnsent = () => void openCount--
  try {
    const response = await abortable(send(request, { ...sent, apiKey, signal, onSend, onUnsent }), signal)
    const { text, isCut } = await readBody(response, signal)
    const received: ReceivedResponse = { status: response.status, text: redact(text, apiKey), response, isCut }
    return isCut && signal.aborted
      ? { ...interrupted(signal, openCount > 0), partial: received }
      : { kind: 'response', received }
  } catch (error) {
    return signal.aborted ? interrupted(signal, openCount > 0) : disconnected(error, apiKey, openCount > 0)
  }
}

/** The client's own errors say what is wrong with the key or `baseUrl`. */
function reasonOf(cause: unknown): string {
  if (!isConfigurationError(cause)) {
    return `the function \`apiKey\` failed: ${describeNetworkFailure(cause).reason.replace(/\.$/, '')}`
  }
  const { message } = cause
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, '')}`
}

/**
 * The outcome of the request decides, not the error: a middleware may have thrown after the request, for instance because
 * another service could not be reached.
 */
function disconnected(error: unknown, apiKey: string | undefined, mayHaveArrived: boolean): Interruption {
  const { reason, hint, cause } = describeNetworkFailure(error, (text) => redact(text, apiKey))
  return { kind: 'connection', reason, hint, submission: mayHaveArrived ? 'unknown' : 'not_sent', cause }
}

function interrupted(signal: AbortSignal, mayHaveArrived: boolean): Interruption {
  const submission = mayHaveArrived ? 'unknown' : 'not_sent'
  if (signal.reason === TIMEOUT) return { kind: 'timeout', reason: 'time limit', submission, cause: undefined }
  if (signal.reason === DEADLINE) return { kind: 'deadline', reason: 'deadline', submission, cause: undefined }
  return { kind: 'aborted', reason: 'aborted', submission, cause: signal.reason }
}

/**
 * Removes the API key from a response that echoes it. A text that is not longer than the prefix of a key (section 5) is a
 * placeholder, like `test`: replacing it would corrupt results.
 */
function redact(text: string, apiKey = ''): string {
  return apiKey.length > KEY_PREFIXES.live.length ? text.replaceAll(apiKey, '[redacted]') : text
}
