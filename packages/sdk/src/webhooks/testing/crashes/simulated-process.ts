import type { Clock } from '../../../clock.ts'
import { createReplica } from '../../../testing/replica.ts'
import { createInbox, type Inbox } from '../../inbox.ts'
import type { InboxStore } from '../../store/inbox-store.ts'
import type { Fault } from './crash-scenario.ts'
import type { CrashWorld } from './crash-world.ts'
import { createCrashingStore, LEASE_MS } from './crashing-store.ts'
import { type CrashLog, createStep, createTransaction, type Fate } from './process-tools.ts'

/** What a process is made of. */
export interface ProcessOptions {
  world: CrashWorld
  clock: Clock
  store: InboxStore
  log: CrashLog
  fault?: Fault | undefined
}

/** A process with an inbox, which may die or stall. */
export interface SimulatedProcess {
  inbox: Inbox
  /** Delivers a body; waits until it was worked on, or the process has died or stalls. */
  deliver(body: string): Promise<void>
  /** Ends a stall; waits for the end of the work. */
  wake(): Promise<void>
}

export function openProcess({ world, clock, store, log, fault }: ProcessOptions): SimulatedProcess {
  let strike = () => {}
  const isStruck = new Promise<void>((resolve) => {
    strike = resolve
  })
  const fate: Fate = {
    at: async (place, moment) => {
      if (fault?.at === place && fault.moment === moment) {
        if (fault.kind === 'fails') throw new Error('The simulation lets this fail.')
        if (fault.kind === 'dies') replica.die()
        else replica.pause()
        strike()
      }
      await replica.untilRunning()
    },
  }
  const commits = new WeakMap()
  const replica = createReplica(clock, createCrashingStore(store, fate, commits))
  const step = createStep(fate, log)
  const works: Promise<unknown>[] = []
  const inbox = createInbox({
    ...world.handlers({ step, transaction: createTransaction(step, commits) }),
    store: replica.store,
    clock: replica.clock,
    trust: 'payload',
    leaseMs: LEASE_MS,
    // The shortest delays.
    random: () => 0,
    // No retry by a timer: each begins with a sweep of the simulation, which sees its end.
    waitUntil: (work) => void works.push(work),
    onHandlerError: ({ error }) => void log.errors.push(error),
  })
  return {
    inbox,
    deliver: async (body) => {
      const request = new Request('https://app.example.com/webhooks', { method: 'POST', body })
      const answered = inbox.handle(request)
      await Promise.race([answered.then(() => Promise.all(works)), isStruck])
    },
    wake: async () => {
      replica.resume()
      await Promise.all(works)
    },
  }
}
