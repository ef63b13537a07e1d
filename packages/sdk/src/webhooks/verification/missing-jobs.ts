import type { Clock } from '../../clock.ts'

export interface MissingJobs {
  add(jobId: string): void
  has(jobId: string): boolean
}

const MEMORY_MS = 10 * 60_000
const MAX_JOBS = 1_000

/** Ids for which the service knew no job, for ten minutes: of more than 1000, the latest. */
export function createMissingJobs(clock: Clock): MissingJobs {
  const endsAt = new Map<string, number>()
  return {
    add: (jobId: string) => {
      endsAt.delete(jobId)
      endsAt.set(jobId, clock.now() + MEMORY_MS)
      const oldest = endsAt.keys().next()
      if (endsAt.size > MAX_JOBS && !oldest.done) endsAt.delete(oldest.value)
    },
    has: (jobId: string) => (endsAt.get(jobId) ?? 0) > clock.now(),
  }
}
