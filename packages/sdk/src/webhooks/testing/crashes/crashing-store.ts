import type { InboxStore, Lease } from '../../store/inbox-store.ts'
import type { Commits, Fate } from './process-tools.ts'

export const LEASE_MS = 60_000

/** A store that takes part in the transactions of the simulation, and at which a process can die. */
export function createCrashingStore(store: InboxStore, fate: Fate, commits: Commits): InboxStore {
  async function completeAtCommit(lease: Lease, keepMs: number, tx: object): Promise<'ok' | 'lost'> {
    if (!(await store.extend(lease, LEASE_MS))) return 'lost'
    commits.set(tx, async () => {
      if ((await store.complete(lease, { keepMs })) === 'lost') {
        throw new Error('The transaction is rolled back: another worker has the job.')
      }
    })
    return 'ok'
  }

  return {
    ...store,
    guarantees: { durable: true, shared: true, transactional: true },
    complete: async (lease, { keepMs, tx }) => {
      if (tx !== undefined) return await completeAtCommit(lease, keepMs, transactionOf(tx, commits))
      await fate.at('done', 'before')
      const result = await store.complete(lease, { keepMs })
      await fate.at('done', 'after')
      return result
    },
  }
}

function transactionOf(tx: unknown, commits: Commits): object {
  if (typeof tx === 'object' && tx !== null && commits.has(tx)) return tx
  throw new Error(
    'In a simulation, `complete({ tx })` takes the `tx` of its `transaction(name, async (tx) => …)`: let the fake of your database begin its transactions with that.',
  )
}
