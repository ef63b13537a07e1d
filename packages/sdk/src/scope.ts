import { linkController } from './abort.ts'
import { type Clock, startTimer } from './clock.ts'

/** Marks an abort by the deadline, as opposed to an abort by the caller. */
export const DEADLINE = /* @__PURE__ */ Symbol('deadline')

/** The time limit and the signal of one call of the user, for its submission, hold, polls and retries. */
export interface Scope {
  /** Aborts when the caller's signal does, or when the deadline passes (reason: {@link DEADLINE}). */
  readonly signal: AbortSignal
  /** The time limit, in milliseconds; `Infinity` for none. */
  readonly deadlineMs: number
  /** Milliseconds left, never negative; `Infinity` without a deadline. */
  remainingMs(): number
  /** Stops the timer and removes the listener from the caller's signal. */
  close(): void
}

/** Options of {@link openScope}. */
export interface ScopeOptions {
  clock: Clock
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
}

export function openScope({ clock, signal, deadlineMs = Number.POSITIVE_INFINITY }: ScopeOptions): Scope {
  const controller = linkController(signal)
  const endsAt = clock.now() + deadlineMs
  const stopTimer = startTimer(clock, deadlineMs, () => controller.abort(DEADLINE))
  return {
    signal: controller.signal,
    deadlineMs,
    remainingMs: () => Math.max(0, endsAt - clock.now()),
    close: () => {
      stopTimer()
      controller.release()
    },
  }
}
