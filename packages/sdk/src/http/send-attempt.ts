import ky, { isNetworkError } from 'ky'
import { abortable, type LinkedController, linkController } from '../abort.ts'
import { startTimer } from '../clock.ts'
import type { ResolvedOptions } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import type { PreparedRequest } from './build-request.ts'
import { describeNetworkFailure } from './network-failure.ts'
import type { Outcome } from './operation.ts'
import { readBody } from './read-body.ts'

/** Marks an abort as the time limit of one attempt. */
const TIMEOUT = Symbol('timeout')

/** What one attempt runs under. */
export interface AttemptOptions {
  client: ResolvedOptions
  /** The signal of the whole call. */
  signal: AbortSignal
  timeoutMs: number
}

/** Sends a request once and reads the whole answer, all under one timer. Never rejects. */
export async function sendAttempt(request: PreparedRequest, options: AttemptOptions): Promise<Outcome> {
  const controller = linkController(options.signal)
  const stopTimer = startTimer(options.client.clock, options.timeoutMs, () => controller.abort(TIMEOUT))
  try {
    return await exchange(request, options.client, controller)
  } finally {
    stopTimer()
    controller.release()
  }
}

async function exchange(
  request: PreparedRequest,
  client: ResolvedOptions,
  { signal }: LinkedController,
): Promise<Outcome> {
  let wasSent = false
  let apiKey: string
  try {
    apiKey = await abortable(client.apiKey(), signal)
  } catch (cause) {
    if (signal.aborted) return interrupted(signal, wasSent)
    return { kind: 'no_key', reason: 'the function `apiKey` failed', submission: 'not_sent', cause }
  }
  try {
    if (signal.aborted) return interrupted(signal, wasSent)
    wasSent = true
    const response = await abortable(fetchOnce(request, { apiKey, client, signal }), signal)
    const { text, isCut } = await readBody(response, signal)
    return { kind: 'answer', answer: { status: response.status, text: redact(text, apiKey), response, isCut } }
  } catch (error) {
    if (signal.aborted) return interrupted(signal, wasSent)
    const failure = describeNetworkFailure(isNetworkError(error) ? error.cause : error)
    failure.cause.message = redact(failure.cause.message, apiKey)
    return {
      kind: 'connection',
      reason: redact(failure.reason, apiKey),
      submission: failure.isBeforeConnection ? 'not_sent' : 'unknown',
      cause: failure.cause,
    }
  }
}

interface Credentials {
  apiKey: string
  client: ResolvedOptions
  signal: AbortSignal
}

async function fetchOnce(request: PreparedRequest, { apiKey, client, signal }: Credentials): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${apiKey}`)
  return await ky(request.url, {
    method: request.method,
    headers,
    signal,
    // Time limits, retries and statuses are ours to decide: ky's own would end the 55 s hold after 10 s.
    timeout: false,
    retry: 0,
    throwHttpErrors: false,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.method === 'GET' && takesCacheOption() ? { cache: 'no-store' as const } : {}),
    ...(client.fetch === undefined ? {} : { fetch: client.fetch }),
  })
}

/** Some runtimes refuse the field. Frameworks that patch `fetch` would otherwise freeze a job's status for ever. */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}

function interrupted(signal: AbortSignal, wasSent: boolean): Outcome {
  const submission = wasSent ? 'unknown' : 'not_sent'
  if (signal.reason === TIMEOUT) return { kind: 'timeout', reason: 'time limit', submission, cause: undefined }
  if (signal.reason === DEADLINE) return { kind: 'deadline', reason: 'deadline', submission, cause: undefined }
  return { kind: 'aborted', reason: 'aborted', submission, cause: signal.reason }
}

function redact(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, '[redacted]') : text
}
