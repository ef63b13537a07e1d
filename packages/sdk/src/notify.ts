import type { Log } from './observe/logger.ts'

/** Calls a callback of the caller. When it throws or rejects, the failure is logged and the run goes on. */
export function notify(log: Log, name: string, callback: () => unknown): void {
  const warn = (error: unknown) =>
    log.warn(`the callback \`${name}\` failed; its run is not affected: ${String(error)}`)
  try {
    Promise.resolve(callback()).catch(warn)
  } catch (error) {
    warn(error)
  }
}
