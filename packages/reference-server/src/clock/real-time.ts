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
 * Lets one turn of the event loop pass: whatever was ready runs, I/O and timers included.
 *
 * A new channel each time on purpose: Node handles up to 1000 messages of one port in a single turn, so a channel used
 * again would let nobody else run. Fake timers leave `MessageChannel` alone. Every runtime has it but workerd with a
 * compatibility date before 2025-08-15.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      afterRealTime(0, resolve)
      return
    }
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close() // an open port would keep the process alive
      resolve()
    }
    port2.postMessage(undefined)
  })
}
