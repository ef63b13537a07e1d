import { linkController } from '../../abort.ts'
import { startTimer } from '../../clock.ts'
import { DeadlineExceededError } from '../../errors/transport-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import { LeaseLostError } from '../inbox-errors.ts'
import { jobIdOfKey } from '../record-key.ts'
import type { Lease } from '../store/inbox-store.ts'

/** A lease that is extended for as long as it is held. */
export interface HeldLease {
  readonly lease: Lease
  /** Aborts when another worker may have the lease, the work took too long, or the inbox ends. */
  readonly signal: AbortSignal
  /** Milliseconds until the store may give the record to another worker, as far as is known here. */
  msLeft(): number
  /** Ends the extensions. */
  stop(): void
}

/** Part of a lease after which the work stops unless it was extended: the rest is for stopping. */
const SAFE_PART = 0.9

/** How often a lease is extended in its time. */
const BEATS = 3

/**
 * Holds a lease. Its end is counted from before the request that took or extended it was sent: the store counts from
 * when it got the request, which is later, so that the store's lease never ends first.
 */
export function holdLease(core: InboxCore, lease: Lease, sentAt: number): HeldLease {
  const { backgroundClock: clock, options } = core
  const { leaseMs, maxRunMs } = options
  const jobId = jobIdOfKey(lease.key)
  const controller = linkController(core.aborting.signal)
  const stops = new Map<'beat' | 'expiry' | 'limit', () => void>()
  let isStopped = false
  let lastSentAt = sentAt

  function arm(name: 'beat' | 'expiry' | 'limit', delayMs: number, callback: () => void): void {
    stops.get(name)?.()
    if (!isStopped) stops.set(name, startTimer(clock, delayMs, callback))
  }

  function stop(): void {
    isStopped = true
    for (const stopTimer of stops.values()) stopTimer()
    controller.release()
  }

  function lose(why: string): void {
    core.hooks.metric('lost_lease', jobId)
    controller.abort(new LeaseLostError({ message: `The lease on the job ${jobId} was lost: ${why}.`, jobId }))
  }

  async function extend(): Promise<void> {
    const extendedAt = clock.now()
    arm('beat', leaseMs / BEATS, beat)
    // Undefined: the store could not be asked. The next beat asks again, until the expiry decides.
    const isHeld = await core.store.extend(lease, leaseMs).catch(() => undefined)
    if (isStopped || isHeld === undefined) return
    if (!isHeld) return lose('another worker has it')
    lastSentAt = Math.max(lastSentAt, extendedAt)
    armExpiry()
  }

  const beat = () => void core.tasks.track(extend())
  const armExpiry = () =>
    arm('expiry', lastSentAt + leaseMs * SAFE_PART - clock.now(), () => lose('it could not be extended in time'))

  controller.signal.addEventListener('abort', stop)
  arm('beat', leaseMs / BEATS, beat)
  arm('limit', maxRunMs, () => {
    const message = `The work on the job ${jobId} took longer than maxRunMs (${maxRunMs} ms).`
    controller.abort(new DeadlineExceededError({ message, jobId }))
  })
  armExpiry()
  if (lastSentAt + leaseMs * SAFE_PART <= clock.now()) lose('it ran out before the work began')
  return { lease, signal: controller.signal, msLeft: () => lastSentAt + leaseMs - clock.now(), stop }
}
