import type { Failure, Interruption, InterruptionKind, Operation } from '../src/client/http/operation.ts'
import type { FailedCall } from '../src/client/http/to-error.ts'

/** The `submission` of an error in words. */
export const RUN_IS = {
  rejected: 'The run was rejected: nothing is charged.',
  not_sent: 'The run was not sent: nothing is charged.',
  unknown: 'The service may have accepted the run and may charge it, so it was not sent again.',
} as const

/** An error body of section 7. */
export const ERROR_BODY = { error: { code: 'SOME_CODE', message: 'Some message' } }

/** A call that failed at its first attempt. */
export function failedCall(operation: Operation<unknown>, more: Partial<FailedCall> = {}): FailedCall {
  return {
    operation,
    label: `${operation.route.method} /v1/path`,
    baseUrl: 'https://api.example.com',
    isKeyless: false,
    timeoutMs: 30_000,
    deadlineMs: 60_000,
    failures: 1,
    retryAfterMs: undefined,
    isRetryable: false,
    ...more,
  }
}

type FailedResponse = Extract<Failure, { kind: 'response' }>

/** The failure that a whole response is. */
export function failedResponse(status: number, body: unknown, headers: Record<string, string> = {}): FailedResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = new Response(null, { status, headers })
  const requestId = response.headers.get('x-request-id') ?? undefined
  return { kind: 'response', received: { status, text, isCut: false, requestId, response } }
}

/** An attempt without a whole response. */
export function interruption(
  kind: InterruptionKind,
  submission: 'not_sent' | 'unknown',
  cause?: unknown,
): Interruption {
  return { kind, reason: 'ECONNRESET', submission, cause }
}
