import type { Attempt } from '../errors/model-run-error.ts'
import { type Call, errorOf, observe } from './call.ts'
import { classify, mayHaveArrived } from './classify.ts'
import { ForcedRetry } from './ky-retries.ts'
import type { Failure, Outcome, ReceivedResponse } from './operation.ts'
import { readBody } from './read-body.ts'
import { sendAttempt } from './send-attempt.ts'

/** One attempt: ky calls this as its `fetch`. Its errors are those of the call, if no other attempt follows. */
export function runAttempt<T>(call: Call<T>, request: Request, kyOptions: object = {}): Promise<Response> {
  const attempt = sendOnce(call, request, kyOptions)
  call.sending = attempt.catch(() => {})
  return attempt
}

async function sendOnce<T>(call: Call<T>, request: Request, kyOptions: object): Promise<Response> {
  const { operation, context, client, send, timeoutMs, attempts } = call
  const { method } = operation.route
  const { path, body } = call.request
  // Includes options of the caller's instance that only `fetch` knows, such as Next's `next`.
  const fetchOptions = { ...kyOptions, ...call.request.fetchOptions }
  const { signal } = context.scope
  if (!call.maySend) throw new ForcedRetry('A hook asked to send the request again.')
  call.maySend = false
  const attempt = attempts.length + 1
  const startedAt = client.clock.now()
  const outcome = await sendAttempt(request, {
    client,
    send,
    signal,
    timeoutMs,
    method,
    path,
    body,
    fetchOptions,
    attempt,
  })
  return recordOutcome(call, outcome, startedAt)
}

/** Uses the response of a caller's hook as the response of the service. */
export async function takeHookResponse<T>(call: Call<T>, response: Response): Promise<void> {
  const startedAt = call.client.clock.now()
  const { text, isCut } = await readBody(response, call.context.scope.signal)
  recordOutcome(call, { kind: 'response', received: { status: response.status, text, response, isCut } }, startedAt)
}

/** Stores the outcome of an attempt. @returns The response for ky's hooks @throws The call's error, when there is no response */
function recordOutcome<T>(call: Call<T>, outcome: Outcome, startedAt: number): Response {
  const durationMs = call.client.clock.now() - startedAt
  if (outcome.kind === 'response') call.received = outcome.received
  const verdict = classify(call.operation, outcome, call.hasArrived)
  if (verdict.kind === 'failure') return fail(call, verdict.failure, { startedAt, durationMs })
  call.result = verdict.result
  call.error = undefined
  const { response, requestId } = verdict.result
  observe(call, { attempt: call.attempts.length + 1, status: response.status, durationMs, requestId })
  return outcome.kind === 'response' ? responseForHooks(call, outcome.received) : response
}

function fail<T>(call: Call<T>, failure: Failure, times: Pick<Attempt, 'startedAt' | 'durationMs'>): Response {
  const attempt = { ...times, ...describeAttempt(failure) }
  call.attempts.push(attempt)
  call.failed = { attempt, failure }
  call.submission = failure.kind === 'response' ? 'rejected' : failure.submission
  call.hasArrived ||= mayHaveArrived(failure)
  call.error = errorOf(call, failure)
  // Hooks get every response with an error status. An unreadable response is not from the service.
  if (failure.kind === 'response' && failure.problem === undefined) return responseForHooks(call, failure.received)
  throw call.error
}

/** A copy when the caller has hooks, because the body of the original has been read. */
function responseForHooks<T>({ client }: Call<T>, { status, text, response }: ReceivedResponse): Response {
  const canHaveBody = status >= 200 && ![204, 205, 304].includes(status)
  if (client.ky === undefined || !canHaveBody) return response
  return new Response(text, { status, statusText: response.statusText, headers: response.headers })
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'response') return { reason: failure.reason }
  const { status } = failure.received
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}
