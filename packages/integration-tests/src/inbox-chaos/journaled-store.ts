import type { InboxStore, Lease } from 'modelrun/webhooks'
import type { Run } from './fate.ts'
import { type Journal, monotonicMs } from './journal.ts'

/** What goes wrong between one process and its store. */
export interface Sabotage {
  /** Runs whose lease is not extended: the requests do not arrive. */
  cutOff: Set<string>
  /** Runs whose process dies when the store has taken the completion. */
  diesCompleted: Set<string>
}

export function runKey({ job, fence }: Run): string {
  return `${job} ${fence}`
}

export function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Notes in the journal what the store gives and takes. */
export function createJournaledStore(store: InboxStore, journal: Journal, sabotage: Sabotage): InboxStore {
  const runOf = ({ key, fence }: Lease): Run => ({ job: key, fence })
  const note = (lease: Lease, fact: Parameters<Journal['write']>[0]['what'] & ('ending' | 'completed' | 'refused')) =>
    isJob(lease.key) && journal.write({ what: fact, ...runOf(lease) })
  return {
    ...store,
    claim: async (key, request) => {
      const sentAtMs = monotonicMs()
      const result = await store.claim(key, request)
      if (result.kind === 'acquired' && isJob(key)) {
        journal.write({ what: 'claimed', ...runOf(result.lease), owner: request.owner, sentAtMs })
      }
      return result
    },
    extend: async (lease, leaseMs) => {
      if (sabotage.cutOff.has(runKey(runOf(lease)))) throw new Error('The request did not arrive.')
      const sentAtMs = monotonicMs()
      const isHeld = await store.extend(lease, leaseMs)
      if (isHeld) journal.write({ what: 'extended', ...runOf(lease), sentAtMs })
      return isHeld
    },
    complete: async (lease, options) => {
      note(lease, 'ending')
      const result = await store.complete(lease, options)
      note(lease, result === 'ok' ? 'completed' : 'refused')
      if (result === 'ok' && sabotage.diesCompleted.has(runKey(runOf(lease)))) {
        journal.write({ what: 'crashes', ...runOf(lease) })
        killSelf()
      }
      return result
    },
    release: async (lease, ...step) => {
      note(lease, 'ending')
      return await store.release(lease, ...step)
    },
  }
}

/** The inbox also has records of its own, to test the store and of runs that are about to be sent. */
function isJob(key: string): boolean {
  return key.startsWith('job_')
}
