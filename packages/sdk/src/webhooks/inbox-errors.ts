import { guard, ModelRunError } from '../errors/model-run-error.ts'

/** A handler throws this error when another run would not help. The job becomes a dead letter at once. */
export class PermanentError extends Error {
  override get name(): 'PermanentError' {
    return 'PermanentError'
  }
}

/** Checks the name, which is the same in every copy of this package. */
export function isPermanentError(error: unknown): boolean {
  return error instanceof Error && error.name === 'PermanentError'
}

/** An expected job was given up: the service does not know it, or it has not ended within `giveUpAfterMs`. */
export class JobLostError extends ModelRunError {
  override get name(): 'JobLostError' {
    return 'JobLostError'
  }
  override get code(): 'job_lost' {
    return 'job_lost'
  }
}

/** Whether an error is a {@link JobLostError}, of any copy of the package. */
export const isJobLostError = /* @__PURE__ */ guard<JobLostError>('JobLostError')
