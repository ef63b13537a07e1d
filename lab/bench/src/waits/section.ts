import { table } from '../harness/report.ts'
import { formatNumber } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'

/** The network in each direction, in milliseconds, where it is simulated. */
export const ONE_WAY_MS = 30
/** Jobs of 40 s, a tenth more or less. */
export const DURATIONS_MS = [36_000, 44_000] as const
/** Waits at once. */
export const WAITS = 10_000
/** Requests in any second, for the client that has such a limit. */
export const MAX_REQUESTS_PER_SECOND = 100
export const CLIENTS: readonly WaitingClient[] = ['modelrun', 'replicate', 'fal', 'openai']

/** A number with a bound, beside the same number of others. */
export interface Goal {
  what: string
  bound: number
  digits: number
  modelrun: number
  replicate?: number
  fal?: number
}

/** What one part of the measurement found. */
export interface Section {
  title: string
  goals: Goal[]
  paragraphs: string[]
}

export function goalTable(goals: readonly Goal[]): string {
  const headings = ['what', 'bound', 'modelrun', 'met', 'replicate', 'fal', 'to replicate', 'to fal']
  return table(
    headings,
    goals.map(({ what, bound, digits, modelrun, replicate, fal }) => {
      const format = (value: number | undefined) => (value === undefined ? '–' : formatNumber(value, digits))
      const isMet = modelrun <= bound
      return [
        what,
        `≤ ${formatNumber(bound, 0)}`,
        `**${format(modelrun)}**`,
        isMet ? 'yes' : '**no**',
        format(replicate),
        format(fal),
        ratio(modelrun, replicate),
        ratio(modelrun, fal),
      ]
    }),
  )
}

function ratio(value: number, other: number | undefined): string {
  return other ? `${(value / other).toPrecision(2)}×` : '–'
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The value that this share of the others does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `7.5 (max 16)` */
export function meanAndMax(values: readonly number[], digits: number): string {
  return `${formatNumber(mean(values), digits)} (max ${formatNumber(Math.max(...values), digits)})`
}
