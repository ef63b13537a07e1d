import { type Clock, startTimer } from './clock.ts'

/** An abort controller that aborts with another signal, until it is released. */
export interface LinkedController {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Removes the listener from the other signal. */
  release(): void
}

/**
 * Instead of `AbortSignal.any`, which stays reachable from a long-lived source signal in several runtimes. Here nothing
 * is left on the source after `release()`.
 */
export function linkController(source: AbortSignal | undefined): LinkedController {
  const controller = new AbortController()
  const forward = () => controller.abort(source?.reason)
  if (source?.aborted) forward()
  else source?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => source?.removeEventListener('abort', forward),
  }
}

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts, whatever `work` does then. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Waits. Rejects with the signal's reason as soon as it aborts. Leaves neither a timer nor a listener behind. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let stopTimer = () => {}
  const elapsed = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, delayMs, resolve)
  })
  return abortable(elapsed, signal).finally(() => stopTimer())
}

/** Members that end when their signal aborts. Each signal has one listener, however many members share it. */
export interface AbortGroups<M> {
  add(signal: AbortSignal, member: M): void
  /** Removes a member. The last member of a signal removes the listener. */
  remove(signal: AbortSignal, member: M): void
}

/** @param onAbort Called with the members of a signal that aborted, in the order in which they were added */
export function createAbortGroups<M>(onAbort: (members: readonly M[]) => void): AbortGroups<M> {
  const groups = new Map<AbortSignal, { members: Set<M>; listener: () => void }>()

  function open(signal: AbortSignal): { members: Set<M>; listener: () => void } {
    const members = new Set<M>()
    const listener = () => {
      groups.delete(signal)
      onAbort([...members])
    }
    signal.addEventListener('abort', listener, { once: true })
    const group = { members, listener }
    groups.set(signal, group)
    return group
  }

  return {
    add: (signal, member) => {
      const { members } = groups.get(signal) ?? open(signal)
      members.add(member)
    },
    remove: (signal, member) => {
      const group = groups.get(signal)
      group?.members.delete(member)
      if (group?.members.size !== 0) return
      signal.removeEventListener('abort', group.listener)
      groups.delete(signal)
    },
  }
}
