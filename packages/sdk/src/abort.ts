import { type Clock, startTimer } from './clock.ts'

/** An abort controller that follows another signal until it is released. */
export interface LinkedController {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Removes the listener from the signal it follows. */
  release(): void
}

/**
 * Why not `AbortSignal.any`: it stays reachable from a long-lived source signal in several runtimes. Here nothing is
 * left on the source after `release()`.
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

/** Waits; rejects with the signal's reason as soon as it aborts. Leaves neither timer nor listener behind. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let stopTimer = () => {}
  const elapsed = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, delayMs, resolve)
  })
  return abortable(elapsed, signal).finally(() => stopTimer())
}
