import type { Json, Task } from '@modelrun/kit'
import { createMemoryEngine } from '../src/webhooks/engine/memory-engine.ts'
import { createManualClock } from './manual-clock.ts'

/** An engine in memory on a manual clock, and the recorded runs of its handlers. */
export function openMemoryEngine() {
  const clock = createManualClock()
  const startedAt = clock.now()
  const engine = createMemoryEngine(clock)
  const runs: [id: string, atMs: number][] = []
  /** A handler whose runs are recorded. */
  const recorded = (work: (task: Task) => unknown = () => {}) => {
    return async (task: Task) => {
      runs.push([task.id, clock.now() - startedAt])
      return (await work(task)) as Json | undefined
    }
  }
  return { clock, engine, runs, recorded, times: () => runs.map(([, atMs]) => atMs) }
}
