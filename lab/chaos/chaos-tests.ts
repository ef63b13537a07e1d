import { describe, expect, it } from 'vitest'
import { needs } from '../../packages/integration-tests/src/services/programs.ts'
import { measureTakeover } from './measure-takeover.ts'
import { describeBatch, describeInbox, describeMoments, describeViolations } from './report.ts'
import { runBatchChaos } from './run-batch.ts'
import { runInboxChaos } from './run-inbox.ts'
import { runMoments } from './run-moments.ts'
import { ENGINES, type EngineKind, withStore } from './stores.ts'

/** Some hundredths of `npm run chaos`. */
const JOBS = 60

/** `npm run chaos -- --seed` tries others. */
const SEED = 1

export const CHAOS_TIMEOUT_MS = 120_000

/** Small chaos on an engine. A file for each engine: most of the time is spent waiting, and files run at once. */
export function testChaosOn(kind: EngineKind): void {
  const { isMissing, note } = needs(...(ENGINES.get(kind) ?? []))

  describe(`chaos on ${kind}`, { timeout: CHAOS_TIMEOUT_MS }, () => {
    it.skipIf(isMissing)(`an inbox loses no result and has each effect once${note}`, async () => {
      const result = await withStore(kind, (store) => runInboxChaos(store, { jobs: JOBS, seed: SEED }))
      console.log(describeInbox(kind, result))
      expect(describeViolations({ kind, seed: SEED }, result)).toBeUndefined()
      expect(result.crashes).toBe(0)
      // Else nothing was tried.
      expect(result.deaths).toBeGreaterThan(0)
      expect(result.polled).toBeGreaterThan(0)
    })

    it.skipIf(isMissing)(`a batch loses no key and sends none twice${note}`, async () => {
      const result = await withStore(kind, (store) => runBatchChaos(store, { keys: JOBS, seed: SEED, faults: 4 }))
      console.log(describeBatch(kind, result))
      expect(result).toMatchObject({ keys: JOBS, posted: JOBS, twice: [], lost: [] })
      expect(result.deaths).toBeGreaterThan(0)
    })

    it.skipIf(isMissing || kind === 'sqlite')(
      `a batch ends, whatever happens at a request to its store${note}`,
      { timeout: 5 * CHAOS_TIMEOUT_MS },
      async () => {
        const result = await withStore(kind, (store) => runMoments(store, { every: 40, first: 5 }))
        console.log(describeMoments(kind, result))
        expect(result.broken).toEqual([])
        expect(result.cases).toBeGreaterThan(6)
      },
    )

    it.skipIf(isMissing)(`the task of a killed process runs elsewhere after its lock${note}`, async () => {
      const timesMs = await withStore(kind, (store) => measureTakeover(store, { kills: 6, lockMs: 2_000 }))
      expect(timesMs).toHaveLength(6)
    })
  })
}
