import type { Jump } from '../clock/auto-clock.ts'
import type { Job } from '../domain/job.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import type { IncomingRequest, ReplyOrFault } from '../http/messages.ts'

/**
 * Points at which an exploration holds what happens, to try another order. Only an exploration creates them.
 */
export interface Breakpoints {
  /** Resolves when a request may take effect. */
  request(request: IncomingRequest): Promise<void>
  /** Resolves when its response may leave. */
  response(request: IncomingRequest, response: ReplyOrFault): Promise<void>
  /** Resolves when a delivery may be sent. */
  delivery(job: Job): Promise<void>
  /** Resolves when time may jump. */
  jump(jump: Jump): Promise<void>
  /** Whether the end of a run with this script is held back, too. */
  holdsEnd(script: ScriptedOutcome | undefined): boolean
  /** Calls `start` when a queued job leaves the queue. */
  start(job: Job, start: () => void): void
  /** Calls `end` when the job may end. */
  end(job: Job, end: () => void): void
}
