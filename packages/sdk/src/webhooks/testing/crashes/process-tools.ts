import type { Fault } from './crash-scenario.ts'
import type { SimulatedTransaction, Step, Transaction } from './crash-world.ts'

/** What happened, in all processes. */
export interface CrashLog {
  /** Names of the steps that were begun, in order. */
  begun: string[]
  /** How often each step happened. */
  happened: Record<string, number>
  /** What handlers threw. */
  errors: unknown[]
}

/** What befalls a process. */
export interface Fate {
  /** Resolves when the process may go on: later when it stalls there, never when it dies. Rejects when that place fails. */
  at(place: Fault['at'], moment: Fault['moment']): Promise<void>
}

/** How the transactions of a process are committed: those that mark a job as done, with the mark. */
export type Commits = WeakMap<object, () => Promise<void>>

export function createStep(fate: Fate, log: CrashLog): Step {
  let count = 0
  return async (name, run) => {
    const index = count++
    log.begun.push(name)
    await fate.at(index, 'before')
    const result = await run()
    log.happened[name] = (log.happened[name] ?? 0) + 1
    await fate.at(index, 'after')
    return result
  }
}

export function createTransaction(step: Step, commits: Commits): Transaction {
  return async (name, work) => {
    const changes: (() => void)[] = []
    const tx: SimulatedTransaction = { write: (change) => void changes.push(change) }
    commits.set(tx, async () => {})
    const result = await work(tx)
    await step(name, async () => {
      await commits.get(tx)?.()
      for (const change of changes) change()
    })
    return result
  }
}
