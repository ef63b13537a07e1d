import { describe, expect, it } from 'vitest'
import type { Mutant } from './mutation.ts'
import { SURVIVORS } from './survivors.ts'
import { failedChecks } from './verdict-on.ts'

/**
 * Each mutant meets the whole suite. Those that are not survivors must fail a check, and the one that was made for them
 * among others; those that are must fail none, so that the list of survivors stays true.
 *
 * Concurrent, as a run of the suite waits for the silent receiver most of the time. The time limit is for a busy machine:
 * five runs of the suite share one core.
 */
export function describeMutants(mutants: readonly Mutant[]): void {
  describe.concurrent('a service that breaks one rule', { timeout: 60_000 }, () => {
    it.each(mutants)('and $breaks is noticed ($sentence)', async ({ breaks, check, mutation }) => {
      const failed = await failedChecks(mutation, check)
      if (SURVIVORS.has(breaks)) expect(failed).toEqual([])
      else expect(failed).toContain(check ?? failed[0] ?? 'a check that fails')
    })
  })
}
