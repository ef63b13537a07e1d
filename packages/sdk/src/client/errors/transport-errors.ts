import { type ErrorFields, ModelRunError, named } from '@modelrun/kit'
import type { JobHandle } from '../job-handle.ts'

/** The connection failed: refused, DNS, TLS, reset. `submission` says whether the service may have received the request. */
export class ConnectionError extends /* @__PURE__ */ named(ModelRunError, 'ConnectionError', 'connection_failed') {}

/** One request took longer than its own time limit, headers and body together. */
export class AttemptTimeoutError extends /* @__PURE__ */ named(
  ModelRunError,
  'AttemptTimeoutError',
  'attempt_timeout',
) {}

/** The response is not one of the service: HTML, cut JSON, a redirect, or a wrong shape. */
export class InvalidResponseError extends /* @__PURE__ */ named(
  ModelRunError,
  'InvalidResponseError',
  'invalid_response',
) {}

/**
 * A hook of the caller's ky instance threw, or returned another error; or `prepare` of the `webhook` of a run failed, and nothing
 * was sent. `cause` is that error.
 */
export class HookError extends /* @__PURE__ */ named(ModelRunError, 'HookError', 'hook_failed') {}

/** The fields of an error about the early end of a wait, besides those of every error. */
export interface EndedWaitFields extends ErrorFields {
  job?: JobHandle | undefined
  cancellation?: Promise<boolean> | undefined
}

/** Base class of the errors that end a wait while its job may continue. */
abstract class EndedWaitError extends ModelRunError {
  /** The live job: `job.result()` waits on, here or in another process. Absent when its id is not known. */
  declare readonly job?: JobHandle | undefined
  /** With the policy `cancel`: resolves to whether the service confirmed the cancellation. Never rejects. */
  declare readonly cancellation?: Promise<boolean> | undefined

  constructor(fields: EndedWaitFields) {
    super(fields)
    if (fields.job !== undefined) this.job = fields.job
    // Not enumerable, because a promise is nothing for JSON, copies and loggers.
    if (fields.cancellation !== undefined) Object.defineProperty(this, 'cancellation', { value: fields.cancellation })
  }
}

/** The caller's signal aborted; `cause` is its reason. */
export class AbortedError extends /* @__PURE__ */ named(EndedWaitError, 'AbortedError', 'aborted') {}

/** `deadlineMs` passed. When the last poll of the job failed, `cause` says why. */
export class DeadlineExceededError extends /* @__PURE__ */ named(
  EndedWaitError,
  'DeadlineExceededError',
  'deadline_exceeded',
) {}
