import {
  type ApiResult,
  type Failure,
  type Interruption,
  type Operation,
  type Outcome,
  type ReceivedResponse,
  UnreadableResponse,
} from './operation.ts'

/** The meaning of an outcome for the call. */
export type Verdict<T> =
  | { kind: 'result'; result: Omit<ApiResult<T>, 'attempts'> }
  | { kind: 'failure'; failure: Failure }

/** Distinguishes a result from a failure. `hasArrivedBefore`: the service may have acted on an earlier attempt. */
export function classify<T>(operation: Operation<T>, outcome: Outcome, hasArrivedBefore: boolean): Verdict<T> {
  if (outcome.kind !== 'response') return recoverPartial(operation, outcome)
  const { received } = outcome
  const isSuccess = received.status >= 200 && received.status < 300
  if (isSuccess) return readSuccess(operation, received)
  const recovered = operation.readError?.(received, hasArrivedBefore)
  return recovered ? resultOf(recovered.data, received) : { kind: 'failure', failure: outcome }
}

/** A time limit cuts a response as a broken connection does. The received part may be the whole, or already name the job of a run. */
function recoverPartial<T>(operation: Operation<T>, interruption: Interruption): Verdict<T> {
  const { kind, partial } = interruption
  const isTimedOut = kind === 'timeout' || kind === 'deadline'
  const recovered =
    isTimedOut && partial ? classify(operation, { kind: 'response', received: partial }, true) : undefined
  return recovered?.kind === 'result' ? recovered : { kind: 'failure', failure: interruption }
}

function readSuccess<T>(operation: Operation<T>, received: ReceivedResponse): Verdict<T> {
  try {
    return resultOf(operation.read(received), received)
  } catch (error) {
    if (!(error instanceof UnreadableResponse)) throw error
    return { kind: 'failure', failure: { kind: 'response', received, problem: error.problem } }
  }
}

function resultOf<T>(data: T, { response, requestId }: ReceivedResponse): Verdict<T> {
  return { kind: 'result', result: { data, response, requestId } }
}
