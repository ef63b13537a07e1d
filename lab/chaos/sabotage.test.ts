import { expect, it } from 'vitest'
import { CHAOS_TIMEOUT_MS } from './chaos-tests.ts'
import { runInboxChaos } from './run-inbox.ts'
import { withStore } from './stores.ts'

it('notices what is wrong with an inbox on purpose', { timeout: CHAOS_TIMEOUT_MS }, async () => {
  const run = { jobs: 90, seed: 1, isSabotaged: true, patienceMs: 5_000 }
  const { violations } = await withStore('sqlite', (store) => runInboxChaos(store, run))
  expect([...new Set(violations.map(({ kind }) => kind))]).toEqual(
    expect.arrayContaining(['lost', 'twice', 'overlap', 'forged']),
  )
})
