import type { PriceOptions } from '../run/run-options.ts'
import type { ServiceOptions } from '../service/service-options.ts'

/** Options of `modelrun batch`. */
export interface BatchOptions extends ServiceOptions, PriceOptions {
  inputs: string
  out: string
  concurrency: number
  pollsPerSecond: number
  encoding?: string | undefined
  key?: string | undefined
  ignoreColumns?: readonly string[] | undefined
  files?: string | undefined
  name?: string | undefined
  report?: string | undefined
  job?: readonly string[] | undefined
  retryFailed?: boolean | undefined
  sameAccount?: boolean | undefined
  newRows?: boolean | undefined
  resubmitUnknown?: boolean | undefined
}

/** Names of files: those of a batch sort by row. */
export const BATCH_TEMPLATE = '{row}-{job_id}-{index}.{ext}'
