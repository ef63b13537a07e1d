import { sleep } from '../../abort.ts'
import { isConfigurationError } from '../../errors/guards.ts'
import type { InboxCore } from '../inbox-core.ts'
import { withTimeLimit } from './time-limit.ts'

/** How long a change that the engine did not take is repeated. */
const REPEAT_MS = 60_000

/** How long one try may take until its caller goes on without it. */
const TRY_MS = 2_000

/** Waits between two tries. */
const WAIT = { firstMs: 1_000, maxMs: 8_000 } as const

/** A change of the engine that nobody would make again: a delivery, or the note that a run was sent. */
export interface Change {
  /** Safe to repeat. */
  make(): Promise<void>
  /** Notified when it could not be made within a minute. */
  onFailure(error: unknown): void
}

/**
 * Makes a change, and repeats it from memory for a minute while the engine fails.
 *
 * @returns whether it was made within 2 s
 * @throws ConfigurationError when the change itself is wrong
 */
export async function keepTrying(core: InboxCore, change: Change): Promise<boolean> {
  try {
    await tryOnce(core, change)
    return true
  } catch (error) {
    if (isConfigurationError(error)) throw error
    void core.tasks.track(repeat(core, change, error))
    return false
  }
}

function tryOnce({ options }: InboxCore, change: Change): Promise<void> {
  const onLate = () => {
    throw new Error(`The engine of the inbox did not respond within ${TRY_MS} ms.`)
  }
  return withTimeLimit(change.make(), { clock: options.clock, limitMs: TRY_MS, onLate })
}

async function repeat(core: InboxCore, change: Change, first: unknown): Promise<void> {
  const { clock } = core.options
  const { signal } = core.aborting
  const endsAt = clock.now() + REPEAT_MS
  let error = first
  for (let waitMs: number = WAIT.firstMs; ; waitMs = Math.min(WAIT.maxMs, waitMs * 2)) {
    if (clock.now() >= endsAt || signal.aborted || isConfigurationError(error)) return change.onFailure(error)
    await sleep(clock, Math.min(waitMs, endsAt - clock.now()), signal).catch(() => {})
    try {
      return await tryOnce(core, change)
    } catch (again) {
      error = again
    }
  }
}
