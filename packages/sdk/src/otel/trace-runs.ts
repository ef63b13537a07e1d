import type { AsyncLocalStorage } from 'node:async_hooks'
import { defined, ModelRunError, memberOf, nodeBuiltin, numberIn, stringIn, watch } from '@modelrun/kit'
import { InputValidationError } from '../client/errors/local-errors.ts'
import { AbortedError } from '../client/errors/transport-errors.ts'
import { ATTEMPT_CHANNEL, type AttemptEvent, CALL_CHANNEL, type CallEvent } from '../client/observe/logger.ts'

/** Attributes of a span or an event. */
type SpanAttributes = Record<string, string | number | boolean>

/** The part of an OpenTelemetry span that is used. */
interface Span {
  /** Sets attributes of the span. */
  setAttributes(attributes: SpanAttributes): unknown
  /** Adds an event, such as a retry, at the current time. */
  addEvent(name: string, attributes: SpanAttributes): unknown
  /** `code` is 2, OpenTelemetry's `ERROR`. */
  setStatus(status: { code: 2; message?: string }): unknown
  /** Ends the span. Called once. */
  end(): void
}

/** The part of an OpenTelemetry tracer that is used: `trace.getTracer('app')` fits, and nothing depends on it. */
export interface Tracer {
  /** Starts a span below the active one. `kind` is 0 for OpenTelemetry's `INTERNAL` and 2 for `CLIENT`. */
  startSpan(name: string, options: { kind: 0 | 2; attributes: SpanAttributes }): Span
}

interface OpenCall {
  span: Span
  polls: number
  /** Requests that were sent again. */
  retries: number
}

/**
 * Makes a span of each run, submission and wait of every client in the process (Node, Bun, Deno), from what the clients report on
 * the diagnostics channels. Spans hold no input, no output and no text of the service. A tracer that fails costs no run.
 *
 * @example
 * traceRuns(trace.getTracer('my-app'))
 *
 * @returns A function that stops it
 */
export function traceRuns(tracer: Tracer): () => void {
  const channels = nodeBuiltin('node:diagnostics_channel')
  const hooks = nodeBuiltin('node:async_hooks')
  if (channels === undefined || hooks === undefined) return () => {}
  const open = new WeakMap<CallEvent, OpenCall>()
  const current: AsyncLocalStorage<CallEvent> = new hooks.AsyncLocalStorage()
  const calls = channels.tracingChannel<CallEvent, CallEvent>(CALL_CHANNEL)
  const subscribers = {
    start: (event: CallEvent) =>
      safely(() => open.set(event, { span: startSpan(tracer, event), polls: 0, retries: 0 })),
    asyncEnd: (event: CallEvent) => safely(() => endSpan(open.get(event), event)),
    end: () => {},
    asyncStart: () => {},
    error: () => {},
  }
  const onAttempt = (message: unknown) => {
    const call = current.getStore()
    // The client is the only sender.
    safely(() => noteAttempt(call && open.get(call), message as AttemptEvent))
  }
  calls.start.bindStore(current)
  calls.subscribe(subscribers)
  channels.subscribe(ATTEMPT_CHANNEL, onAttempt)
  return () => {
    calls.start.unbindStore(current)
    calls.unsubscribe(subscribers)
    channels.unsubscribe(ATTEMPT_CHANNEL, onAttempt)
  }
}

function safely(work: () => unknown): void {
  watch(work, () => {})
}

/** Names and attributes follow OpenTelemetry's conventions for generative AI. */
function startSpan(tracer: Tracer, { operation, model, jobId, baseUrl }: CallEvent): Span {
  const { protocol, hostname, port } = new URL(baseUrl)
  const attributes = defined({
    'gen_ai.operation.name': operation === 'run' ? 'generate_content' : undefined,
    'gen_ai.provider.name': 'modelrun',
    'gen_ai.request.model': model,
    'gen_ai.response.id': jobId,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  })
  const name = operation === 'run' ? `generate_content ${model}` : `modelrun.${operation}`
  return tracer.startSpan(name, { kind: operation === 'wait' ? 0 : 2, attributes })
}

function noteAttempt(call: OpenCall | undefined, { method, path, reason, delayMs }: AttemptEvent): void {
  if (call === undefined) return
  if (method === 'GET' && path.startsWith('/v1/jobs/')) call.polls++
  if (delayMs === undefined) return
  call.retries++
  call.span.addEvent('modelrun.retry', { 'modelrun.reason': asWord(reason), 'modelrun.delay_ms': Math.round(delayMs) })
}

function endSpan(call: OpenCall | undefined, event: CallEvent): void {
  if (call === undefined) return
  const { span, polls, retries } = call
  const counts = { 'modelrun.polls': polls, 'http.request.resend_count': retries }
  span.setAttributes(defined('error' in event ? failureAttributes(event.error) : resultAttributes(event.result)))
  span.setAttributes(event.operation === 'submit' ? defined({ ...counts, 'modelrun.polls': undefined }) : counts)
  // An abort by the caller is not an error: the conventions leave its status unset.
  if ('error' in event && !(event.error instanceof AbortedError)) {
    span.setStatus(defined({ code: 2, message: describeFailure(event.error).message }))
  }
  span.end()
}

type SomeAttributes = { readonly [name: string]: string | number | boolean | undefined }

function failureAttributes(error: unknown): SomeAttributes {
  const { jobId, submission } = error instanceof ModelRunError ? error : {}
  const isAborted = error instanceof AbortedError
  return {
    'gen_ai.response.id': jobId,
    'modelrun.submission': submission,
    ...(isAborted ? { 'modelrun.aborted': true } : { 'error.type': describeFailure(error).type }),
  }
}

/** The result of a run or a wait, or the handle of a job. */
function resultAttributes(resolved: unknown): SomeAttributes {
  const result = memberOf(resolved, 'data') ?? resolved
  const type = stringIn(memberOf(result, 'output'), 'type')
  return {
    'gen_ai.response.id': stringIn(result, 'job_id') ?? stringIn(result, 'id'),
    'gen_ai.output.type': type && asWord(type),
    'modelrun.credits_used': numberIn(result, 'credits_used'),
    'modelrun.submission': 'accepted',
  }
}

/** OpenTelemetry's `error.type` for an unknown error. */
const OTHER = '_OTHER'

/**
 * The kind of an error, for `error.type`, and what is known of it, without any text that the service, the input, the network or the
 * caller may have written: it could quote the prompt or a callback url, and more people read traces than may read prompts.
 */
function describeFailure(error: unknown): { type: string; message?: string | undefined } {
  if (!(error instanceof ModelRunError)) return { type: asWord(memberOf(error, 'name')) }
  const { code, status = 0, attempts } = error
  const failed = status >= 400 ? `HTTP ${status}` : undefined
  const words = [
    status === 0 ? attempts.at(-1)?.reason : failed,
    memberOf(error, 'apiCode') ?? memberOf(error, 'failureCode'),
    // The names of the parameters that do not fit their model.
    ...(error instanceof InputValidationError ? error.issues.map(({ pointer }) => pointer) : []),
  ]
  const known = words.filter((word) => word !== undefined).map(asWord)
  return { type: code, message: known.join(' ') || undefined }
}

/** A word from elsewhere, such as an error code, if it is a single word; else `_OTHER`. */
function asWord(word: unknown): string {
  return typeof word === 'string' && /^(?:time limit|(?:HTTP )?[\w./-]{1,64})$/.test(word) ? word : OTHER
}
