import type { Job } from '@modelrun/contract'
import type { Clock } from '../../clock.ts'
import { isModelRunError } from '../../errors/guards.ts'
import { createRateLimit } from '../../jobs/polling/rate-limit.ts'
import type { JobReader } from '../inbox-options.ts'
import { createMissingJobs } from './missing-jobs.ts'

/** What a look at a job brought. */
export type Look =
  | { kind: 'job'; job: Job }
  /** The service says that there is no such job; or it said so a while ago, and was not asked again. */
  | { kind: 'not_found'; error: unknown; isRemembered: boolean }
  /** The service could not be asked, or asks for patience. */
  | { kind: 'unreachable'; error: unknown; retryInMs: number }
  /** The service answered, and not with a job: waiting is no help. */
  | { kind: 'refused'; error: unknown }
  /** Too many looks that nobody vouches for: not before this. */
  | { kind: 'throttled'; retryInMs: number }

/** Reads jobs, at most one request for a job at a time. */
export interface JobLooker {
  look(jobId: string): Promise<Look>
  /**
   * For a delivery that anybody may have sent: at most 5 looks in a second, and none for ten minutes at a job that was
   * not there. Waits for its turn.
   */
  lookForStranger(jobId: string, wait: (delayMs: number) => Promise<void>): Promise<Look>
  /** Remembers that there is no such job, for strangers. */
  noteMissing(jobId: string): void
}

/** How many looks at once and in a second a stranger can cause. */
const STRANGERS_PER_SECOND = 5

/** Past this, a stranger's delivery waits in the store, not in memory. */
const MAX_TURN_MS = 10_000

/** The wait after a failed look: as long as the outage has lasted, within these. */
const OUTAGE = { minMs: 1_000, maxMs: 300_000 } as const

export function createJobLooker({ jobs }: JobReader, clock: Clock): JobLooker {
  const inFlight = new Map<string, Promise<Look>>()
  const turns = createRateLimit(STRANGERS_PER_SECOND)
  const missing = createMissingJobs(clock)
  let outageSince: number | undefined

  async function read(jobId: string): Promise<Look> {
    try {
      const job = await jobs.get(jobId)
      outageSince = undefined
      return { kind: 'job', job }
    } catch (error) {
      return failedLook(error)
    }
  }

  function failedLook(error: unknown): Look {
    const { status, retryAfterMs } = isModelRunError(error) ? error : { status: undefined, retryAfterMs: undefined }
    // A key that is not accepted (401) fails every look alike: that is for an operator to repair, not for this job.
    const isAnswer = status !== undefined && status < 500 && ![401, 408, 429].includes(status)
    if (isAnswer) outageSince = undefined
    if (status === 404) return { kind: 'not_found', error, isRemembered: false }
    if (isAnswer) return { kind: 'refused', error }
    outageSince ??= clock.now()
    const lastedMs = clock.now() - outageSince
    const backoffMs = Math.min(OUTAGE.maxMs, Math.max(OUTAGE.minMs, lastedMs))
    return { kind: 'unreachable', error, retryInMs: Math.max(backoffMs, retryAfterMs ?? 0) }
  }

  function look(jobId: string): Promise<Look> {
    const running = inFlight.get(jobId)
    if (running !== undefined) return running
    const started = read(jobId).finally(() => inFlight.delete(jobId))
    inFlight.set(jobId, started)
    return started
  }

  return {
    look,
    noteMissing: missing.add,
    lookForStranger: async (jobId, wait) => {
      if (missing.has(jobId)) {
        return { kind: 'not_found', error: new Error(`There was no job ${jobId} a while ago.`), isRemembered: true }
      }
      const running = inFlight.get(jobId)
      if (running !== undefined) return await running
      const now = clock.now()
      const turnMs = Math.max(0, turns.nextAt() - now)
      if (turnMs > MAX_TURN_MS) return { kind: 'throttled', retryInMs: turnMs }
      turns.take(now + turnMs)
      if (turnMs > 0) await wait(turnMs)
      return await look(jobId)
    },
  }
}
