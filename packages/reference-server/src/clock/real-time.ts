// Taken when this file is loaded, so that fake timers which a test installs later do not stop what has to wait for
// real sockets. Constants, not state.
const setRealTimeout = globalThis.setTimeout
const clearRealTimeout = globalThis.clearTimeout

/** Milliseconds of real time since some moment; also when a test fakes the clock. */
export const realNow: () => number = performance.now.bind(performance)

/** A timer of real time, also when a test fakes timers. Returns what takes it back. */
export function afterRealTime(ms: number, callback: () => void): () => void {
  const timer = setRealTimeout(callback, ms)
  return () => clearRealTimeout(timer)
}

/**
 * The real `setImmediate`, which runs at the end of a turn of the event loop. Browsers and workers have none. A fake one, which has a
 * member `clock`, would never run: then this module was loaded under fake timers.
 */
const setRealImmediate = isReal(globalThis.setImmediate) ? globalThis.setImmediate : undefined

/** Waits for one turn of the event loop, in which everything that is ready runs, I/O and timers included. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    try {
      if (setRealImmediate !== undefined) setRealImmediate(resolve)
      else passMessage(resolve)
    } catch {
      // There is neither, or they are there and throw when they are used: the Edge runtime of Next.js has such ones.
      afterRealTime(0, resolve)
    }
  })
}

/**
 * Twenty times as slow as an immediate, but fake timers leave `MessageChannel` alone, and every runtime has it but
 * workerd with a compatibility date before 2025-08-15.
 *
 * A new channel each time on purpose: Node handles up to 1000 messages of one port in a single turn, so a channel used
 * again would let no other work run.
 */
function passMessage(arrived: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close() // an open port would keep the process alive
    arrived()
  }
  port2.postMessage(undefined)
}

function isReal(timerFunction: unknown): boolean {
  return typeof timerFunction === 'function' && !('clock' in timerFunction)
}
