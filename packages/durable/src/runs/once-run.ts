import type { OnceOptions, OnceResult, TaskHandler } from '../engine/engine.ts'
import type { StepParts, WorkedQueue } from './batch-workers.ts'
import { patiently } from './runs-context.ts'

/** When to ask again while another caller sends or polls: its lock says when it would have died, not when it ends. */
export const WORKED_MS = 1_000

interface Once {
  handler: TaskHandler
  parts: StepParts
  isEarly?: boolean | undefined
}

/** A poll of a step sets no mark: a GET that is repeated does no harm, so a process that dies in it does not count. */
const UNMARKED = { startMark: 'handler' } as const

/** Runs the task of a run in this process, if that is due. */
export function once(name: WorkedQueue, id: string, { handler, parts, isEarly }: Once): Promise<OnceResult> {
  const { engine, queues } = parts.context
  const options: OnceOptions = { ...parts.options[name], ...UNMARKED, id, isEarly }
  return patiently(() => engine.once(queues[name], handler, options))
}
