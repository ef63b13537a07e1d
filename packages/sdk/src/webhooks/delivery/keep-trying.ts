import { ConfigurationError } from '@modelrun/kit'
import { backoffMs } from '../../shared/backoff.ts'
import { type Clock, sleep } from '../../shared/clock.ts'
import type { InboxCore } from '../inbox-core.ts'
import { withTimeLimit } from './time-limit.ts'

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

type Core = Pick<InboxCore, 'options' | 'background' | 'aborting'>

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
    if (error instanceof ConfigurationError) throw error
    void core.background.track(repeat(change, error, { clock, signal: core.aborting.signal }))
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
    if (clock.now() >= endsAt || signal.aborted || error instanceof ConfigurationError) return change.onFailure(error)
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
