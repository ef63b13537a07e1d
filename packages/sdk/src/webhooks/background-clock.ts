import type { Clock } from '../clock.ts'

/** A clock whose timers do not keep the process alive, in runtimes that support this (`unref`). */
export function toBackgroundClock(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    setTimeout: (callback, delayMs) => {
      const handle = clock.setTimeout(callback, delayMs)
      if (hasUnref(handle)) handle.unref()
      return handle
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  }
}

function hasUnref(handle: unknown): handle is { unref(): unknown } {
  return typeof handle === 'object' && handle !== null && 'unref' in handle && typeof handle.unref === 'function'
}
