import type { Job } from '@modelrun/contract'
import { NewestMap, RetryAfterError, withTimeLimit } from '@modelrun/kit'
import { ApiError } from '../client/errors/api-errors.ts'
import { isKeyRejection, isTransient } from '../client/http/status-policy.ts'
import type { Clock } from '../shared/clock.ts'
import type { JobReader } from './inbox-options.ts'

/** Result of a poll. */
export type PolledJob =
  | { kind: 'job'; job: Job }
  /**
   * `missing`: the service does not have the job (404). `rejected`: it rejects this job id, and another poll would not help.
   * `unreachable`: it is down, limits the rate, or rejects the API key, which an operator has to fix. Or a gateway responds.
   */
  | { kind: 'missing' | 'rejected' | 'unreachable'; error: unknown }

/** Any client may be plugged in, also one that has no time limit of its own. */
const MAX_POLL_MS = 300_000

/** Asks the service for a job. Never rejects. */
export async function pollJob({ jobs }: JobReader, jobId: string, clock: Clock): Promise<PolledJob> {
  const late = new Error(`The client did not read the job ${jobId} in time.`)
  const onLate = (): PolledJob => ({ kind: 'unreachable', error: late })
  return await withTimeLimit(read(jobs, jobId), { clock, limitMs: MAX_POLL_MS, onLate })
}

async function read(jobs: JobReader['jobs'], jobId: string): Promise<PolledJob> {
  try {
    return { kind: 'job', job: await jobs.get(jobId) }
  } catch (error) {
    // A response that cannot be read, such as the page of a gateway, says nothing about the job.
    const status = error instanceof ApiError ? error.status : undefined
    if (status === undefined || isTransient(status) || isKeyRejection(status)) return { kind: 'unreachable', error }
    return { kind: status === 404 ? 'missing' : 'rejected', error }
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
