import type { WebhookEvent } from './webhook-event.ts'

/** How many finished jobs are remembered to tell their duplicates. Unfinished ones are never forgotten. */
const MAX_FINISHED = 10_000

/** What a claim finds: the job is new, is being worked on, or is done. */
export type Claim = 'new' | 'busy' | 'done'

/** Which jobs have been heard of, in the memory of this process. */
export interface MemoryRecords {
  /** Takes a job for the caller, unless somebody has it or had it. */
  claim(jobId: string): Claim
  finish(jobId: string, event: WebhookEvent): void
  /** The event of a finished job. */
  finished(jobId: string): WebhookEvent | undefined
}

export function createMemoryRecords(maxFinished = MAX_FINISHED): MemoryRecords {
  const working = new Set<string>()
  const finished = new Map<string, WebhookEvent>()
  return {
    claim: (jobId) => {
      if (finished.has(jobId)) return 'done'
      if (working.has(jobId)) return 'busy'
      working.add(jobId)
      return 'new'
    },
    finish: (jobId, event) => {
      working.delete(jobId)
      finished.set(jobId, event)
      const oldest = finished.keys().next()
      if (finished.size > maxFinished && !oldest.done) finished.delete(oldest.value)
    },
    finished: (jobId) => finished.get(jobId),
  }
}
