import { type ErrorFields, ModelRunError } from '@modelrun/kit'
import type { JobHandle } from '../job-handle.ts'

/** The connection failed: refused, DNS, TLS, reset. `submission` says whether the service may have received the request. */
export class ConnectionError extends ModelRunError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError'
  }
  override get code(): 'connection_failed' {
    return 'connection_failed'
  }
}

/** One request took longer than its own time limit, headers and body together. */
export class AttemptTimeoutError extends ModelRunError {
  override get name(): 'AttemptTimeoutError' {
    return 'AttemptTimeoutError'
  }
  override get code(): 'attempt_timeout' {
    return 'attempt_timeout'
  }
}

/** The response is not one of the service: HTML, cut JSON, a redirect, or a wrong shape. */
export class InvalidResponseError extends ModelRunError {
  override get name(): 'InvalidResponseError' {
    return 'InvalidResponseError'
  }
  override get code(): 'invalid_response' {
    return 'invalid_response'
  }
}

/**
 * A hook of the caller's ky instance threw, or returned another error; or `prepare` of the `webhook` of a run failed, and nothing
 * was sent. `cause` is that error.
 */
export class HookError extends ModelRunError {
  override get name(): 'HookError' {
    return 'HookError'
  }
  override get code(): 'hook_failed' {
    return 'hook_failed'
  }
}

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
    if (fields.cancellation !== undefined) this.cancellation = fields.cancellation
  }
}

/** The caller's signal aborted; `cause` is its reason. */
export class AbortedError extends EndedWaitError {
  override get name(): 'AbortedError' {
    return 'AbortedError'
  }
  override get code(): 'aborted' {
    return 'aborted'
  }
}

/** `deadlineMs` passed. When the last poll of the job failed, `cause` says why. */
export class DeadlineExceededError extends EndedWaitError {
  override get name(): 'DeadlineExceededError' {
    return 'DeadlineExceededError'
  }
  override get code(): 'deadline_exceeded' {
    return 'deadline_exceeded'
  }
}
