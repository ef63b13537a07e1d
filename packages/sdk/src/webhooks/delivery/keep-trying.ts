import { backoffMs } from '../../backoff.ts'
import { type Clock, sleep, startTimer } from '../../clock.ts'
import { isConfigurationError } from '../../errors/local-errors.ts'
import type { InboxCore } from '../inbox-core.ts'

/** How long a failed write to the engine is repeated. */
const REPEAT_MS = 60_000

/** Time limit of one attempt. */
const ATTEMPT_MS = 2_000

const BACKOFF = { baseMs: 1_000, maxMs: 8_000 } as const

/** A write to the engine that nothing else would repeat: a delivery, or an expected job. */
export interface Change {
  /** Writes. Safe to repeat. */
  make(): Promise<void>
  /** Called when the write has failed for a minute. */
  onFailure(error: unknown): void
}

type Core = Pick<InboxCore, 'options' | 'tasks' | 'aborting'>

/**
 * Makes a change, and repeats it from memory for a minute while the engine fails.
 *
 * @returns whether the first attempt succeeded within 2 s
 * @throws ConfigurationError when the change itself is wrong
 */
export async function keepTrying(core: Core, change: Change): Promise<boolean> {
  const { clock } = core.options
  try {
    await attempt(clock, change)
    return true
  } catch (error) {
    if (isConfigurationError(error)) throw error
    void core.tasks.track(repeat(change, error, { clock, signal: core.aborting.signal }))
    return false
  }
}

async function repeat(
  change: Change,
  firstError: unknown,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const endsAt = clock.now() + REPEAT_MS
  let error = firstError
  for (let failures = 1; ; failures++) {
    if (clock.now() >= endsAt || signal.aborted || isConfigurationError(error)) return change.onFailure(error)
    const waitMs = Math.min(backoffMs(failures, BACKOFF), endsAt - clock.now())
    await sleep(clock, waitMs, signal).catch(() => {})
    try {
      return await attempt(clock, change)
    } catch (newError) {
      error = newError
    }
  }
}

function attempt(clock: Clock, change: Change): Promise<void> {
  return withTimeLimit(change.make(), {
    clock,
    limitMs: ATTEMPT_MS,
    onLate: () => {
      throw new Error(`The engine of the inbox did not respond within ${ATTEMPT_MS} ms.`)
    },
  })
}

/** A time limit for work that cannot be cancelled. */
export interface TimeLimit<T> {
  clock: Clock
  limitMs: number
  /** Returns the value for late work, or throws its error. */
  onLate: () => T
}

/** Settles like `work`, or like `onLate` after the time limit. Late work continues, and its error is ignored. */
export function withTimeLimit<T>(work: Promise<T>, { clock, limitMs, onLate }: TimeLimit<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(clock, limitMs, () => {
      try {
        resolve(onLate())
      } catch (error) {
        reject(error)
      }
    })
    work.finally(stopTimer).then(resolve, reject)
  })
}
