import type { RunResponse } from '@modelrun/contract'

/**
 * An answer to a run that the specification does not show, from which at least the job's id could be read. The job
 * exists: poll it.
 */
export interface UnrecognizedRunResponse {
  /** Neither of the statuses that the specification shows: `reported_status` is the one of the response. */
  status: 'unknown'
  /** Identifier of the job. */
  job_id: string
  /** The status that the answer had, when it had one. */
  reported_status?: string | undefined
}

/** The answer to a run: those of section 4.3, told apart by `status`, or {@link UnrecognizedRunResponse}. */
export type AnyRunResponse = RunResponse | UnrecognizedRunResponse
