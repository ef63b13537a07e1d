/**
 * Something that is wrong with a job on purpose, to see that the audit notices it:
 *
 * - `no mark`: its effect does not check whether it was there before
 * - `long locks`: its worker assumes a lock that is longer than the engine's
 * - `forgets`: its handler does nothing
 */
export type Sabotage = 'no mark' | 'long locks' | 'forgets'

const SABOTAGES: readonly Sabotage[] = ['no mark', 'long locks', 'forgets']

/** Each third of the jobs has a fault of its own, so that none hides another. */
export function sabotageOf(job: string): Sabotage | undefined {
  const [, number] = /^job_(\d+)$/.exec(job) ?? []
  return SABOTAGES[Number(number) % SABOTAGES.length]
}
