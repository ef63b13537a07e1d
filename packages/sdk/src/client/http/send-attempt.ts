import { KEY_PREFIXES } from '@modelrun/contract'
import { ConfigurationError, type Submission } from '@modelrun/kit'
import { abortable, type Clock, DEADLINE, linkController, startLimit } from '../../shared/clock.ts'
import { callFetch, type FetchInit, type FetchLike, type ResolvedFetchOptions } from './fetch.ts'
import { describeNetworkFailure, isSteering } from './network-failure.ts'
import type { Interruption, Outcome } from './operation.ts'
import { isResponse, receive } from './read-response.ts'
import { watchUnsent } from './unsent-watch.ts'

/** The API key, or a function that returns it; the function is called for each attempt, so that keys can rotate. */
export type ApiKey = string | (() => string | Promise<string>)

/** The options of the client that an attempt depends on. */
interface AttemptClient {
  /** Undefined: no key is sent. */
  apiKey: (() => string | Promise<string>) | undefined
  baseUrl: string
  clock: Clock
  fetch: FetchLike | undefined
  ky?: unknown
}

/** Marks an abort as the time limit of one attempt. */
export const TIMEOUT = /* @__PURE__ */ Symbol('timeout')

export interface AttemptOptions {
  client: AttemptClient
  send: SendRequest
  /** The signal of the whole call. */
  signal: AbortSignal
  timeoutMs: number
  method: string
  /** Without the API key. Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string | undefined
  fetchOptions: ResolvedFetchOptions
  /** The last thing that is awaited before it is sent, with limits of its own. Returns the body. */
  beforeSend?: (() => Promise<string | undefined>) | undefined
  /** Once the request is on its way, `signal` does not end it: the job of a run would be lost. */
  keepSent?: boolean | undefined
  /** The errors of such a call name its job, whatever a framework wants. */
  isJobConfirmed?: boolean | undefined
}

/** Sends a request once and reads the whole response, under one time limit. Rejects only with what `beforeSend` or a framework throws. */
export async function sendAttempt(request: Request, options: AttemptOptions): Promise<Outcome> {
  const controller = linkController(options.signal)
  const startTimer = () => startLimit(options.client.clock, options.timeoutMs, () => controller.abort(TIMEOUT))
  let stopTimer = startTimer()
  const check = async () => {
    stopTimer()
    const body = await options.beforeSend?.()
    stopTimer = startTimer()
    return body
  }
  try {
    const beforeSend = options.beforeSend && check
    return await exchange(request, { ...options, beforeSend }, controller)
  } finally {
    stopTimer()
    controller.release()
  }
}

async function exchange(
  request: Request,
  { client, send, beforeSend, keepSent, ...sent }: AttemptOptions,
  { signal, release }: ReturnType<typeof linkController>,
): Promise<Outcome> {
  if (signal.aborted) return interrupted(signal, 'not_sent')
  let apiKey: string | undefined
  try {
    const found = client.apiKey?.()
    apiKey = typeof found === 'object' ? await abortable(found, signal) : found
  } catch (cause) {
    if (signal.aborted) return { ...interrupted(signal, 'not_sent'), hint: slow('The function `apiKey`') }
    passSteering(cause, 'not_sent', sent)
    return { kind: 'no_key', reason: reasonOf(cause), submission: 'not_sent', cause }
  }
  const body = beforeSend ? await beforeSend() : sent.body
  if (signal.aborted) return interrupted(signal, 'not_sent')
  if (keepSent) release()
  const progress: Progress = { submission: 'not_sent' }
  try {
    const response = await abortable(send(request, { ...sent, body, apiKey, signal, progress }), signal)
    if (!isResponse(response)) throw new TypeError('what `fetch` returned is not a Response')
    const isRepeated = progress.isRepeated
    const received = { ...(await receive(response, signal, (text) => redact(text, apiKey))), isRepeated, sent: body }
    return received.isCut && signal.aborted
      ? { ...interrupted(signal, progress.submission), partial: received }
      : { kind: 'response', received }
  } catch (error) {
    if (signal.aborted) return interrupted(signal, progress.submission)
    passSteering(error, progress.submission, sent)
    return disconnected(error, progress.submission, (text) => redact(text, apiKey))
  }
}

/** @throws The error itself, when a framework must get it back and it is about nothing that is paid */
function passSteering(
  error: unknown,
  submission: Submission,
  { method, isJobConfirmed }: Pick<AttemptOptions, 'method' | 'isJobConfirmed'>,
): void {
  const isFree = !isJobConfirmed && (method === 'GET' || submission === 'not_sent')
  if (isFree && isSteering(error)) throw error
}

/** What the key of a client may be. */
interface KeyRules {
  /** Where the key is from, for errors. */
  source: string
  /** False when everybody on the way can read it. */
  mayBeLive: boolean
}

/** Makes the function that gives the key of each attempt. @throws ConfigurationError */
export function createKeyReader(apiKey: ApiKey, rules: KeyRules): () => string | Promise<string> {
  if (typeof apiKey === 'function') return async () => checkApiKey(await apiKey(), { ...rules, source: '' })
  const checked = checkApiKey(apiKey, rules)
  return () => checked
}

/** A key with a line break or a space makes header libraries throw errors that print it. This error does not print it. */
function checkApiKey(apiKey: unknown, { source, mayBeLive }: KeyRules): string {
  const problem = keyProblem(apiKey, mayBeLive)
  // Without a problem it is a string.
  if (problem === undefined) return apiKey as string
  throw new ConfigurationError({ message: `The API key${source} ${problem}. Correct it where it is configured.` })
}

function keyProblem(apiKey: unknown, mayBeLive: boolean): string | undefined {
  if (typeof apiKey !== 'string') return 'is not a string'
  if (apiKey === '') return 'is empty'
  if (/\s/.test(apiKey)) return 'has white space in it, for instance a line break at its end'
  if (/^["'`]|["'`]$/.test(apiKey)) return 'has quotes around it, which are not part of it'
  if (!/^[\x21-\x7e]+$/.test(apiKey)) return 'has characters that no key has'
  return mayBeLive || !apiKey.startsWith(KEY_PREFIXES.live)
    ? undefined
    : 'is a live one, which everybody on the way can read when `baseUrl` is http. Use https, or pass `dangerouslyAllowHttp: true`'
}

/** The client's own errors say what is wrong with the key or `baseUrl`. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof ConfigurationError)) {
    return `the function \`apiKey\` failed: ${describeNetworkFailure(cause).reason.replace(/\.$/, '')}`
  }
  const { message } = cause
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, '')}`
}

/**
 * Removes the API key from a response that echoes it. A text that is not longer than the prefix of a key (section 5) is a
 * placeholder, like `test`: replacing it would corrupt results.
 */
function redact(text: string, apiKey = ''): string {
  if (apiKey.length <= KEY_PREFIXES.live.length) return text
  const plain = text.replaceAll(apiKey, '[redacted]')
  return HAS_ESCAPED_ASCII.test(plain) ? plain.replace(escapedForms(apiKey), '[redacted]') : plain
}

/** JSON may write each character as an escape, and some servers escape each slash. */
const HAS_ESCAPED_ASCII = /\\(u00[2-7]|["/\\])/i

/** The pattern of a text of ASCII in JSON, with any of its characters escaped. */
function escapedForms(text: string): RegExp {
  const forms = Array.from(text, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return String.raw`(?:\\?\x${code}|\\u00${code})`
  })
  return new RegExp(forms.join(''), 'gi')
}

/** The interruption by an error of `fetch`. `redact` removes what must not be printed. */
export function disconnected(error: unknown, submission: Submission, redact: (text: string) => string): Interruption {
  const { reason, hint, cause } = describeNetworkFailure(error, redact)
  return { kind: 'connection', reason, hint, submission, cause }
}

/** The hint for a function of the caller. */
export function slow(name: string): string {
  return `${name} did not return in time: give it a shorter time limit of its own.`
}

export function interrupted({ reason }: AbortSignal, submission: Submission): Interruption {
  if (reason === TIMEOUT) return { kind: 'timeout', reason: 'time limit', submission, cause: undefined }
  const kind = reason === DEADLINE ? 'deadline' : 'aborted'
  return { kind, reason: kind, submission, cause: kind === 'aborted' ? reason : undefined }
}

/** What one attempt adds to the request that ky prepared. */
interface SendOptions extends Pick<AttemptOptions, 'signal' | 'method' | 'headers' | 'body' | 'fetchOptions'> {
  /** Undefined when a proxy adds the key. */
  apiKey: string | undefined
  progress: Progress
}

/** Whether a request may have reached the service so far. */
interface Progress {
  submission: 'not_sent' | 'unknown'
  /** See {@link ReceivedResponse}. */
  isRepeated?: boolean
}

/** Sends a request once and resolves with the head of the response, also for an error status. */
export type SendRequest = (request: Request, options: SendOptions) => Promise<Response>

/** The only place that calls `fetch` for the service. */
export function createSender(client: AttemptClient): SendRequest {
  return async (prepared, options) => {
    const { method, fetchOptions, progress } = options
    const { url } = prepared
    // A hook may have replaced the request. The key must stay with the service, and a retry must stay the same request.
    if (!url.startsWith(`${client.baseUrl}/`)) throw new TypeError('a hook sent the request away from `baseUrl`')
    if (prepared.method !== method) throw new TypeError(`a hook made a ${prepared.method} of the ${method}`)
    const init = initOf(prepared, options)
    const call = () => callFetch(client.fetch, { url, init, fetchOptions })
    progress.submission = 'unknown'
    // A request that only reads is repeated, wherever it got to.
    if (method === 'GET') return await call()
    const watch = watchUnsent(client, url)
    try {
      const response = await watch.run(call)
      progress.isRepeated = watch.sendCount() > 1
      return response
    } catch (error) {
      if (watch.isUnsent(error)) progress.submission = 'not_sent'
      throw error
    }
  }
}

function initOf({ cache }: Request, { apiKey, method, headers, signal, body }: SendOptions): FetchInit {
  return {
    method,
    // Added here and not to ky's request, because ky's errors would print it.
    headers: apiKey === undefined ? { ...headers } : { ...headers, authorization: `Bearer ${apiKey}` },
    signal,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    ...(body === undefined ? {} : { body: sendOnce(body) }),
    ...(cache === 'no-store' ? { cache } : {}),
  }
}

/**
 * Deno's own `fetch` sends a request again when the connection breaks under it, a POST too, which would pay twice
 * (denoland/deno#35610). It does not send a Blob again, which might have been consumed.
 */
function sendOnce(body: string): string {
  // A `Blob` where text is asked for: every `fetch` takes it, but the types of one platform do not take that of another.
  return 'Deno' in globalThis ? (new Blob([body]) as unknown as string) : body
}
