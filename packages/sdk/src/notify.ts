import type { Log } from './observe/logger.ts'

/** Calls a callback of the caller. One that throws or rejects costs nothing: a run that is paid for goes on, and the failure is logged. */
export function notify(log: Log, name: string, callback: () => unknown): void {
  const warn = (error: unknown) =>
    log.warn(`the callback \`${name}\` failed; its run is not affected: ${String(error)}`)
  try {
    Promise.resolve(callback()).catch(warn)
  } catch (error) {
    warn(error)
  }
}
