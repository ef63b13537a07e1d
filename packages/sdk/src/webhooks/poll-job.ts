import type { Job } from '@modelrun/contract'
import { ModelRunError, NewestMap, RetryAfterError, withTimeLimit } from '@modelrun/kit'
import { ApiError } from '../client/errors/api-errors.ts'
import { isKeyRejection, isTransient } from '../client/http/status-policy.ts'
import type { Clock } from '../shared/clock.ts'
import type { JobReader } from './inbox-options.ts'

/** Result of a poll. */
export type PolledJob =
  | { kind: 'job'; job: Job }
  /** The service does not have the job (404). */
  | { kind: 'missing'; error: unknown }
  /** The service is down, limits the rate, or rejects the API key, which an operator has to fix. Or a gateway responds. */
  | { kind: 'unreachable'; error: unknown; retryInMs: number }
  /** The service rejects this job id. Another poll would not help. */
  | { kind: 'rejected'; error: unknown }

/** Asks the service for a job. Never rejects. */
export type PollJob = (jobId: string) => Promise<PolledJob>

/** The wait after a failed poll is as long as the outage so far, within these limits. They also apply to `Retry-After`. */
const OUTAGE = { minMs: 1_000, maxMs: 300_000 } as const

export function createPollJob({ jobs }: JobReader, clock: Clock): PollJob {
  let outageSince: number | undefined

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

  async function read(jobId: string): Promise<PolledJob> {
    try {
      const job = await jobs.get(jobId)
      outageSince = undefined
      return { kind: 'job', job }
    } catch (error) {
      return failedPoll(error)
    }
  }

  return (jobId) => {
    // Any client may be plugged in, also one that has no time limit of its own.
    const onLate = () => failedPoll(new Error(`The client did not read the job ${jobId} in time.`))
    return withTimeLimit(read(jobId), { clock, limitMs: OUTAGE.maxMs, onLate })
  }
}

/** Time between two polls of a lane. */
const STEP_MS = 100

/** Polls of a lane at once. The places of handlers that are left are for deliveries. */
const AT_ONCE = 3

/** Turns that are remembered. */
const MAX_TURNS = 10_000

/** Longest wait of a delivery for its turn. */
const MAX_WAIT_MS = 60_000

/** Polls that nothing waits for: of overdue jobs, and for deliveries of unverified senders. */
export interface Lane {
  /** Polls when it is the turn of the task, and throws a RetryAfterError before. */
  poll<T>(taskId: string, poll: () => Promise<T>): Promise<T>
  /** Milliseconds until the turn of a task. Undefined when too many wait: then it has none. */
  reserve(taskId: string): number | undefined
}

/** Spaces the polls of this process, so that many jobs neither flood the service nor take the places of deliveries. */
export function createLane(clock: Clock): Lane {
  // Another process may work a task that has its turn here: old turns are forgotten.
  const turns = new NewestMap<string, number>(MAX_TURNS)
  let nextTurn = Number.NEGATIVE_INFINITY
  let polling = 0
  const msUntilTurn = (taskId: string) => {
    const turn = turns.get(taskId) ?? Math.max(clock.now(), nextTurn)
    if (!turns.has(taskId)) nextTurn = turn + STEP_MS
    turns.set(taskId, turn)
    return Math.max(0, turn - clock.now())
  }
  return {
    poll: async (taskId, poll) => {
      if (polling >= AT_ONCE) throw new RetryAfterError(AT_ONCE * STEP_MS)
      const waitMs = msUntilTurn(taskId)
      if (waitMs > 0) throw new RetryAfterError(waitMs)
      turns.delete(taskId)
      polling += 1
      try {
        return await poll()
      } finally {
        polling -= 1
      }
    },
    reserve: (taskId) => (nextTurn - clock.now() >= MAX_WAIT_MS ? undefined : msUntilTurn(taskId)),
  }
}
