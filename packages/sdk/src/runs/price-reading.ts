import { linkController } from '../abort.ts'
import type { Core } from '../core.ts'
import { DEFAULT_DEADLINE_MS, type WaitOptions } from '../jobs/job-handle.ts'
import { openScope } from '../scope.ts'
import type { RunResult } from './run-result.ts'

/** How long a result waits for its price at most, counted from the start of the run or of the wait. */
const PATIENCE_MS = 5_000

/** The price of a model that is read beside its run. */
export interface PriceReading {
  /** Adds the price, and gives the result without it when it could not be read in time. Never rejects. */
  addTo(result: RunResult): Promise<RunResult>
  stop(): void
}

/** Reads the price of a model while its run goes on, unless it is in memory. The run neither waits for it nor needs it. */
export function startPriceReading(core: Core, modelId: string | undefined, options: WaitOptions): PriceReading {
  const controller = linkController(options.signal)
  const read = async (id: string): Promise<number | undefined> => {
    const deadlineMs = Math.min(PATIENCE_MS, options.deadlineMs ?? DEFAULT_DEADLINE_MS)
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
      // Of a job from elsewhere the model may be known at its end only.
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
