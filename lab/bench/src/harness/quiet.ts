import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Share of a core that others may use before a measurement counts as disturbed. */
const DISTURBED_CORES = 0.15

const SAMPLE_MS = 100
const LONGEST_WAIT_MS = 15_000
const MOST_TRIES = 3

/** Waits until other processes leave the machine alone, but not for ever. */
export async function waitForQuiet(): Promise<void> {
  const endsAt = performance.now() + LONGEST_WAIT_MS
  while (performance.now() < endsAt) {
    const before = machineCpuMs()
    await sleep(SAMPLE_MS)
    if ((machineCpuMs() - before) / SAMPLE_MS <= DISTURBED_CORES) return
  }
}

/** A measurement that separates its own CPU time from that of other programs. */
export interface Accounted {
  /** CPU time of the measured process, from its start. */
  lifeCpuMs: number
}

/** What was measured, and how many cores other processes used meanwhile. */
export type Quiet<Result> = Result & { othersCores: number }

/**
 * Measures again, twice at most, while other processes disturb; keeps the least disturbed one. It checks only the
 * disturbance, never at the result.
 */
export async function measureInQuiet<Result extends Accounted>(measure: () => Promise<Result>): Promise<Quiet<Result>> {
  let best: Quiet<Result> | undefined
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const startedAt = performance.now()
    const machineBefore = machineCpuMs()
    const ownBefore = process.cpuUsage()
    const result = await measure()
    const own = process.cpuUsage(ownBefore)
    const knownMs = (own.user + own.system) / 1_000 + result.lifeCpuMs
    const othersMs = machineCpuMs() - machineBefore - knownMs
    const othersCores = Math.max(0, othersMs / (performance.now() - startedAt))
    if (best === undefined || othersCores < best.othersCores) best = { ...result, othersCores }
    if (best.othersCores <= DISTURBED_CORES) break
    await waitForQuiet()
  }
  if (best === undefined) throw new TypeError('There was no try.')
  return best
}

/** How many of some measurements were disturbed. */
export function describeDisturbance(measurements: readonly { othersCores: number }[]): string {
  const disturbed = measurements.filter(({ othersCores }) => othersCores > DISTURBED_CORES).length
  return `${disturbed} of ${measurements.length} measurements while other processes used more than ${DISTURBED_CORES} of a core.`
}

/** CPU time that the whole machine has used, in milliseconds. */
function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}
