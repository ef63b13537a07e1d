import { abortable, DEADLINE, linkController, type Scope, startTimer } from '../clock.ts'
import type { ResolvedDownload } from './resolve-download.ts'

/** The time and the signal of one download. Its timer runs only while something is under way. */
export interface DownloadScope extends Scope {
  /** Settles like the work, or rejects as soon as the download is aborted or its time is over. */
  during<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Instead of `openScope`: with it, a stream that the program holds and does not read would delay the process's exit until the
 * deadline.
 */
export function openDownloadScope({ client, signal, deadlineMs }: ResolvedDownload): DownloadScope {
  const { clock } = client
  const controller = linkController(signal)
  const endsAt = clock.now() + deadlineMs
  const remainingMs = () => Math.max(0, endsAt - clock.now())
  return {
    signal: controller.signal,
    deadlineMs,
    remainingMs,
    during: async (work) => {
      const end = () => controller.abort(DEADLINE)
      if (remainingMs() === 0) end()
      controller.signal.throwIfAborted()
      const stopTimer = startTimer(clock, remainingMs(), end)
      return await abortable(work(), controller.signal).finally(stopTimer)
    },
    close: controller.release,
  }
}
