/** What loads when the first job of a client runs on. */
import { type Clock, openScope, toBackgroundClock } from '../../shared/clock.ts'
import type { CallOptions } from '../http/operation.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import type { ModelCache } from '../models/model-cache.ts'

/** Time limit of reading a price, in milliseconds. */
const TIMEOUT_MS = 5_000
/** How long a price that could not be read is not asked for again, in milliseconds: the key may have no permission for it. */
const PAUSE_MS = 60_000

/** Reads the prices of runs while their jobs run. */
export interface PriceReader {
  /**
   * Adds the price of a run of the model to a job that has none. One request serves all jobs of the model for five minutes.
   * Nothing waits for it: a price that is slow or cannot be read is left out, and the request ends with the last of its jobs.
   */
  addTo(job: JobReference, modelId: string | undefined, options: CallOptions): void
}

/** One request for a price, for all jobs that want it. */
interface Reading {
  jobs: Set<JobReference>
  controller: AbortController
}

export function createPriceReader(client: { clock: Clock; modelCache: ModelCache }): PriceReader {
  const { modelCache } = client
  const clock = toBackgroundClock(client.clock)
  const readings = new Map<string, Reading>()
  const failedAt = new Map<string, number>()

  function start(id: string, options: CallOptions): Reading {
    const reading: Reading = { jobs: new Set(), controller: new AbortController() }
    readings.set(id, reading)
    void read(id, reading, options)
    return reading
  }

  /** Never rejects. The signal of the caller is not used: the request serves the jobs of other callers too. */
  async function read(
    id: string,
    { jobs, controller }: Reading,
    { headers, fetchOptions }: CallOptions,
  ): Promise<void> {
    const { signal } = controller
    const scope = openScope({ clock, signal, deadlineMs: TIMEOUT_MS })
    try {
      const { pricing } = await modelCache.read(id, { scope, options: { headers, fetchOptions, maxRetries: 0 } })
      for (const job of jobs) job.creditsPerRun ??= pricing.credits_per_run
    } catch {
      if (!signal.aborted) failedAt.set(id, clock.now())
    } finally {
      scope.close()
      forget(id, controller)
    }
  }

  /** A reading that was aborted may have been followed by another one. */
  function forget(id: string, controller: AbortController): void {
    if (readings.get(id)?.controller === controller) readings.delete(id)
  }

  return {
    addTo: (job, modelId, options) => {
      job.creditsPerRun ??= modelCache.priceOf(modelId)
      if (modelId === undefined || job.creditsPerRun !== undefined) return
      if (clock.now() - (failedAt.get(modelId) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
      const { jobs, controller } = readings.get(modelId) ?? start(modelId, options)
      jobs.add(job)
      job.stopPriceReading = () => {
        jobs.delete(job)
        if (jobs.size > 0) return
        forget(modelId, controller)
        controller.abort()
      }
    },
  }
}
