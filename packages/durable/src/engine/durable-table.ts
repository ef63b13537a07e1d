import type { TaskTable } from '@modelrun/kit'
import type { TaskState } from './engine.ts'

/** The tasks and counters of an engine in its database. */
export interface DurableTable extends TaskTable {
  count(queue: string): Promise<Record<TaskState, number>>
  /** Keeps the longer of two pauses. */
  pause(queue: string, ms: number): Promise<void>
  resume(queue: string): Promise<void>
  isPaused(queue: string): Promise<boolean>
  /** Milliseconds since the oldest due task became due; 0 when none is due. */
  oldestDueMs(queue: string): Promise<number>
  tally(name: string, amount: number, limit: number): Promise<number | undefined>
  reserve(name: string, part: string, request: { amount: number; limit: number }): Promise<boolean>
  release(name: string, part: string): Promise<void>
  close(): Promise<void>
}

/** The name of a part of a counter, which is a counter of its own. */
export function partName(name: string, part: string): string {
  return `${name}\u001f${part}`
}

/** A pause until `resume`: 30,000 years, which every store can add to its time. */
export const UNTIL_RESUMED_MS = 1e15
