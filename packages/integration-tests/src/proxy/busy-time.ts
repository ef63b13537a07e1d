import type { ServerClock } from '@modelrun/reference-server'

/** Keeps the time of a server from passing while a proxy works. */
export interface BusyTime {
  /** Work of the proxy: time is paused, but for the requests that wait for the service. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** A request of the proxy to the service: time may pass. */
  waiting<T>(work: () => Promise<T>): Promise<T>
}

/**
 * An `auto` clock jumps as soon as nothing is under way that it knows of. It knows nothing of a proxy, which signs on
 * another thread; a timer that is always due holds time back meanwhile.
 */
export function createBusyTime(clock: ServerClock): BusyTime {
  let busy = 0
  let isHeld = false

  function hold(): void {
    isHeld = busy > 0
    if (isHeld) clock.setTimeout(hold, 0)
  }

  async function count<T>(change: 1 | -1, work: () => Promise<T>): Promise<T> {
    busy += change
    if (!isHeld) hold()
    try {
      return await work()
    } finally {
      busy -= change
      if (!isHeld) hold()
    }
  }

  return { during: (work) => count(1, work), waiting: (work) => count(-1, work) }
}
