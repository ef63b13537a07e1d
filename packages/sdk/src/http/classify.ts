import {
  type Answer,
  type ApiResult,
  type Failure,
  type Interruption,
  type Operation,
  type Outcome,
  UnreadableAnswer,
} from './operation.ts'
import { isRefusal, requestIdOf } from './to-error.ts'

/** True when the service may have acted on the request, though there is no result. */
export function mayHaveArrived(failure: Failure): boolean {
  return failure.kind === 'answer'
    ? failure.problem !== undefined || !isRefusal(failure.answer.status)
    : failure.submission === 'unknown'
}

/** What an outcome means for the call. */
export type Verdict<T> = { kind: 'result'; result: ApiResult<T> } | { kind: 'failure'; failure: Failure }

/** Tells a result from a failure. `hasArrivedBefore`: an earlier attempt may have counted. */
export function classify<T>(operation: Operation<T>, outcome: Outcome, hasArrivedBefore: boolean): Verdict<T> {
  if (outcome.kind !== 'answer') return recoverPartial(operation, outcome)
  const { answer } = outcome
  const isSuccess = answer.status >= 200 && answer.status < 300
  if (isSuccess) return readSuccess(operation, answer)
  const recovered = operation.readError?.(answer, hasArrivedBefore)
  return recovered ? resultOf(recovered.data, answer) : { kind: 'failure', failure: outcome }
}

/** A time limit cuts an answer as a broken connection does: what came may already name the job of a run. */
function recoverPartial<T>(operation: Operation<T>, interruption: Interruption): Verdict<T> {
  const { kind, partial } = interruption
  const isTimedOut = kind === 'timeout' || kind === 'deadline'
  const recovered = isTimedOut && partial ? operation.readError?.(partial, true) : undefined
  return recovered && partial ? resultOf(recovered.data, partial) : { kind: 'failure', failure: interruption }
}

function readSuccess<T>(operation: Operation<T>, answer: Answer): Verdict<T> {
  try {
    return resultOf(operation.read(answer), answer)
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error
    return { kind: 'failure', failure: { kind: 'answer', answer, problem: error.problem } }
  }
}

function resultOf<T>(data: T, { response }: Answer): Verdict<T> {
  return { kind: 'result', result: { data, response, requestId: requestIdOf(response) } }
}
