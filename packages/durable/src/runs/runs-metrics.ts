import { keyOf } from './attempts.ts'

/**
 * - `sent`: the service has accepted a run
 * - `succeeded`, `failed`, `cancelled`, `rejected`: a run has ended
 * - `unknown`: a run needs a decision
 * - `retried`: a run that had ended is sent again
 * - `submit_ms`: how long the service took to accept a run
 */
type RunsMetricName = 'sent' | 'succeeded' | 'failed' | 'cancelled' | 'rejected' | 'unknown' | 'retried' | 'submit_ms'

/** One count, or one measured time, of the process that saw it. After a crash, a thing may be counted once more. */
export interface RunsMetric {
  /** What was counted or measured. */
  name: RunsMetricName
  /** 1 for each thing counted; milliseconds for `submit_ms`. */
  value: number
  /** The run. */
  key: string
  /** Identifier of its job, when it is known. */
  jobId?: string | undefined
}

/** Reports a metric. */
export type Metric = (name: RunsMetricName, run: { id: string; jobId?: string | undefined }, value?: number) => void

/** @param onError notified of a hook that throws or rejects; it changes nothing */
export function createMetric(
  onMetric: ((metric: RunsMetric) => unknown) | undefined,
  onError: (error: unknown) => void,
): Metric {
  return async (name, { id, jobId }, value = 1) => {
    try {
      await onMetric?.({ name, value, key: keyOf(id), jobId })
    } catch (error) {
      onError(error)
    }
  }
}
