import { linkController, openScope } from '../clock.ts'
import type { Core } from '../core.ts'
import { DEFAULT_DEADLINE_MS, type WaitOptions } from '../jobs/job-handle.ts'
import type { RunResult } from './run-result.ts'

/** Time limit for reading a price, from the start of the run or of the wait, in milliseconds. */
const PRICE_TIMEOUT_MS = 5_000

/** A price that is read during a run. */
export interface PriceReading {
  /** Adds the price to the result, when it could be read in time. Never rejects. */
  addTo(result: RunResult): Promise<RunResult>
  stop(): void
}

/** Reads the price of a model while the run is under way, unless it is in memory. The run neither waits for it nor needs it. */
export function startPriceReading(core: Core, modelId: string | undefined, options: WaitOptions): PriceReading {
  const controller = linkController(options.signal)
  const read = async (id: string): Promise<number | undefined> => {
    const deadlineMs = Math.min(PRICE_TIMEOUT_MS, options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    const scope = openScope({ clock: core.options.clock, signal: controller.signal, deadlineMs })
    try {
      const { pricing } = await core.modelCache.read(id, { scope, options: { headers: options.headers } })
      return pricing.credits_per_run
    } catch {
      return undefined
    } finally {
      scope.close()
    }
  }
  const reading = modelId === undefined ? undefined : read(modelId)
  return {
    addTo: async (result) => {
      // The model of a job from another process may be known only at its end.
      const price = await (reading ?? (result.model_id === undefined ? undefined : read(result.model_id)))
      if (price !== undefined) result.credits_per_run = price
      controller.release()
      return result
    },
    stop: () => {
      controller.abort(undefined)
      controller.release()
    },
  }
}
