import { createInbox, type Inbox } from '../webhooks/inbox.ts'
import type { DeliveryContext } from '../webhooks/inbox-options.ts'
import type { InboxStore } from '../webhooks/store/inbox-store.ts'
import { createMemoryStore } from '../webhooks/store/memory-store.ts'
import { createManualClock, type ManualClock, settle } from './manual-clock.ts'
import { createReplica, type Replica } from './replica.ts'
import { jobsOf, SUCCEEDED, SUCCEEDED_JOB } from './test-inbox.ts'

/** How a run of a handler goes. */
export interface HandlerRun {
  takesMs: number
  ending: 'ok' | 'throws' | 'dies' | 'completes'
}

/** A process with an inbox. */
export interface InboxProcess {
  deliver(jobId: string): void
  /** Cuts it off from the store, or joins it again. */
  setConnected(isConnected: boolean): void
  pause(): void
  resume(): Promise<void>
  die(): Promise<void>
  readonly isAlive: boolean
  inbox: Inbox
}

/** Several processes with an inbox each, on one store and one clock. */
export interface InboxWorld {
  clock: ManualClock
  store: InboxStore
  /** The fences with which each job was completed. */
  completions: ReadonlyMap<string, ReadonlySet<number>>
  /** Jobs on which two handlers worked at once, both with a lease that was good to them. */
  overlaps: readonly string[]
  open(): InboxProcess
}

/** Somebody who works on a job. */
interface Worker {
  isWorking(): boolean
}

/** `nextRun` tells how the next run of a handler goes, whichever process it is in. */
export function createInboxWorld(nextRun: () => HandlerRun): InboxWorld {
  const clock = createManualClock()
  const completions = new Map<string, Set<number>>()
  const store = noteCompletions(createMemoryStore({ clock }), completions)
  const workers = new Map<string, Set<Worker>>()
  const overlaps: string[] = []

  function begin(jobId: string, worker: Worker): () => void {
    const others = workers.get(jobId) ?? new Set()
    if ([...others].some((other) => other.isWorking())) overlaps.push(jobId)
    workers.set(jobId, others.add(worker))
    return () => others.delete(worker)
  }

  function open(): InboxProcess {
    const replica = createReplica(clock, store)
    let isPaused = false
    const onSucceeded = async ({ job_id }: { job_id: string }, context: DeliveryContext) => {
      // Who stands still does nothing; its signal aborts before it goes on, when it must not.
      const isWorking = () => !context.signal.aborted && replica.isAlive && !isPaused
      const end = begin(job_id, { isWorking })
      await work(replica, nextRun(), context).finally(end)
    }
    const inbox = createInbox({ ...OPTIONS, clock: replica.clock, store: replica.store, onSucceeded })
    inbox.start()
    return {
      inbox,
      get isAlive() {
        return replica.isAlive
      },
      deliver: (job_id) => {
        const init = { method: 'POST', body: JSON.stringify({ ...SUCCEEDED, job_id }) }
        void inbox.handle(new Request('https://app.example.com/', init))
      },
      setConnected: replica.setConnected,
      pause: () => {
        isPaused = true
        replica.pause()
      },
      resume: async () => {
        replica.resume()
        await settle()
        isPaused = false
      },
      die: async () => {
        await settle()
        replica.die()
      },
    }
  }
  return { clock, store, completions, overlaps, open }
}

const OPTIONS = {
  client: jobsOf(() => SUCCEEDED_JOB).client,
  trust: 'payload',
  onHandlerError: () => {},
  random: () => 0.5,
  maxAttempts: 1_000,
  sweepIntervalMs: 30_000,
} as const

async function work(replica: Replica, { takesMs, ending }: HandlerRun, { complete }: DeliveryContext): Promise<void> {
  await new Promise<void>((resolve) => replica.clock.setTimeout(resolve, takesMs))
  if (ending === 'dies') replica.die()
  if (!replica.isAlive) await new Promise(() => {})
  if (ending === 'throws') throw new Error('the handler fails')
  if (ending === 'completes') await complete()
}

function noteCompletions(store: InboxStore, completions: Map<string, Set<number>>): InboxStore {
  return {
    ...store,
    complete: async (lease, options) => {
      const result = await store.complete(lease, options)
      if (result === 'ok') completions.set(lease.key, (completions.get(lease.key) ?? new Set()).add(lease.fence))
      return result
    },
  }
}
