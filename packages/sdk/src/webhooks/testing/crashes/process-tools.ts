import type { Fault } from './crash-scenario.ts'
import type { ProcessTools, SimulatedTransaction } from './crash-setup.ts'

/** What happened in all processes of one simulation. */
export interface CrashLog {
  /** Names of the steps that started, in order. */
  started: string[]
  /** How often each step happened. */
  happened: Record<string, number>
  /** Errors that handlers threw. */
  errors: unknown[]
  /** Marks of committed transactions. */
  marks: Set<string>
}

/**
 * Applies a fault of the process at a step. Resolves when the process continues: at once without a fault, later after a stall,
 * never after its death. Rejects when the step fails.
 */
export type Interrupt = (at: Fault['at'], moment: Fault['moment']) => Promise<void>

export function createProcessTools(interrupt: Interrupt, log: CrashLog): ProcessTools {
  let count = 0
  const step: ProcessTools['step'] = async (name, run) => {
    const index = count++
    log.started.push(name)
    await interrupt(index, 'before')
    const result = await run()
    log.happened[name] = (log.happened[name] ?? 0) + 1
    await interrupt(index, 'after')
    return result
  }
  return {
    step,
    transaction: async (name, work) => {
      const changes: (() => void)[] = []
      const taken = new Set<string>()
      const tx: SimulatedTransaction = {
        write: (change) => void changes.push(change),
        once: (mark) => !log.marks.has(mark) && taken.add(mark).has(mark),
      }
      const result = await work(tx)
      await step(name, () => {
        const lost = [...taken].find((mark) => log.marks.has(mark))
        if (lost !== undefined) throw new Error(`The transaction is rolled back: another one has the mark "${lost}".`)
        for (const mark of taken) log.marks.add(mark)
        for (const change of changes) change()
      })
      return result
    },
  }
}
