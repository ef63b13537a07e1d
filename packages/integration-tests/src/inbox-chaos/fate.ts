import { chance } from './chance.ts'

/** Parts of all runs of handlers. */
export interface FateRates {
  crash: number
  stall: number
  throw: number
}

export const CHAOS: FateRates = { crash: 0.15, stall: 0.1, throw: 0.15 }

export const CALM: FateRates = { crash: 0, stall: 0, throw: 0 }

/** How a run of a handler goes. */
export type Fate =
  /** Returns, or marks the job as done itself. */
  | 'returns'
  | 'completes'
  | 'throws'
  /** `kill -9` in the handler; after the store took the completion, before the inbox knows; at any moment, from outside. */
  | 'dies'
  | 'dies_completed'
  | 'is_killed'
  /** The process stands still past the lease; the extensions of the lease do not arrive. Then it tries to complete. */
  | 'freezes'
  | 'is_cut_off'

export interface Run {
  job: string
  fence: number
}

export function fateOf(seed: number, rates: FateRates, { job, fence }: Run): Fate {
  const draw = chance(seed, 'fate', job, fence)
  const variant = chance(seed, 'variant', job, fence)
  if (draw < rates.crash) return variant < 0.4 ? 'dies' : variant < 0.7 ? 'dies_completed' : 'is_killed'
  if (draw < rates.crash + rates.stall) return variant < 0.3 ? 'freezes' : 'is_cut_off'
  if (draw < rates.crash + rates.stall + rates.throw) return 'throws'
  return variant < 0.5 ? 'returns' : 'completes'
}
