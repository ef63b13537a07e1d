import { describe, expect, it } from 'vitest'
import { needs } from '../services/programs.ts'
import { describeBatch, describeInbox, describeViolations } from './report.ts'
import { runBatchChaos } from './run-batch.ts'
import { runInboxChaos } from './run-inbox.ts'
import { ENGINES, withStore } from './stores.ts'

/** Some hundredths of `npm run chaos`. */
const JOBS = 60

const TIMEOUT_MS = 120_000

/** Another one each time, and said when it fails. */
const seed = Math.floor(Math.random() * 1_000_000)

describe.each([...ENGINES])('chaos on %s', (kind, programs) => {
  const { isMissing, note } = needs(...programs)

  it.skipIf(isMissing)(
    `an inbox loses no result and has each effect once${note}`,
    async () => {
      const result = await withStore(kind, (store) => runInboxChaos(store, { jobs: JOBS, seed }))
      console.log(describeInbox(kind, result))
      expect(describeViolations({ kind, seed }, result)).toBeUndefined()
      expect(result.crashes).toBe(0)
      // Else nothing was tried.
      expect(result.deaths).toBeGreaterThan(0)
      expect(result.polled).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  it.skipIf(isMissing)(
    `a batch loses no key and sends none twice${note}`,
    async () => {
      const result = await withStore(kind, (store) => runBatchChaos(store, { keys: JOBS, seed }))
      console.log(describeBatch(kind, result))
      expect(result).toMatchObject({ keys: JOBS, posted: JOBS, twice: [], lost: [] })
      expect(result.deaths).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )
})

it('notices what is wrong with an inbox on purpose', { timeout: TIMEOUT_MS }, async () => {
  const run = { jobs: 90, seed: 1, isSabotaged: true, patienceMs: 5_000 }
  const { violations } = await withStore('sqlite', (store) => runInboxChaos(store, run))
  expect([...new Set(violations.map(({ kind }) => kind))]).toEqual(
    expect.arrayContaining(['lost', 'twice', 'overlap', 'forged']),
  )
})
