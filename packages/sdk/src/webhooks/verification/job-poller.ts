import type { Job } from '@modelrun/contract'
import { ModelRunError } from '@modelrun/kit'
import { ApiError } from '../../client/errors/api-errors.ts'
import { isKeyRejection, isTransient } from '../../client/http/status-policy.ts'
import type { Clock } from '../../shared/clock.ts'
import { withTimeLimit } from '../delivery/time-limit.ts'
import type { JobReader } from '../inbox-options.ts'

/** Result of a poll. */
type PolledJob =
  | { kind: 'job'; job: Job }
  /** The service does not have the job (404). */
  | { kind: 'missing'; error: unknown }
  /** The service is down, limits the rate, or rejects the API key, which an operator has to fix. Or a gateway responds. */
  | { kind: 'unreachable'; error: unknown; retryInMs: number }
  /** The service rejects this job id. Another poll would not help. */
  | { kind: 'rejected'; error: unknown }

/** Polls jobs, with at most one request for a job at a time. */
export interface JobPoller {
  poll(jobId: string): Promise<PolledJob>
}

/** The wait after a failed poll is as long as the outage so far, within these limits. They also apply to `Retry-After`. */
const OUTAGE = { minMs: 1_000, maxMs: 300_000 } as const

export function createJobPoller({ jobs }: JobReader, clock: Clock): JobPoller {
  const inFlight = new Map<string, Promise<PolledJob>>()
  let outageSince: number | undefined

  async function read(jobId: string): Promise<PolledJob> {
    try {
      const job = await jobs.get(jobId)
      outageSince = undefined
      return { kind: 'job', job }
    } catch (error) {
      return failedPoll(error)
    }
  }

  /** Any client may be plugged in, also one that has no time limit of its own. */
  function readInTime(jobId: string): Promise<PolledJob> {
    const onLate = () => failedPoll(new Error(`The client did not read the job ${jobId} in time.`))
    return withTimeLimit(read(jobId), { clock, limitMs: OUTAGE.maxMs, onLate })
  }

  function failedPoll(error: unknown): PolledJob {
    const { status, retryAfterMs } = error instanceof ModelRunError ? error : {}
    // A response that cannot be read, such as the page of a gateway, says nothing about the job.
    if (error instanceof ApiError && status !== undefined && !isTransient(status) && !isKeyRejection(status)) {
      outageSince = undefined
      return { kind: status === 404 ? 'missing' : 'rejected', error }
    }
    outageSince ??= clock.now()
    const lastedMs = clock.now() - outageSince
    const retryInMs = Math.min(OUTAGE.maxMs, Math.max(OUTAGE.minMs, lastedMs, retryAfterMs ?? 0))
    return { kind: 'unreachable', error, retryInMs }
  }

  return {
    poll: (jobId) => {
      const polling = inFlight.get(jobId) ?? readInTime(jobId).finally(() => inFlight.delete(jobId))
      inFlight.set(jobId, polling)
      return polling
    },
  }
}
