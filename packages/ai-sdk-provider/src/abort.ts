import { runError } from './errors.ts'

export const MAX_TIMER_MS = 2 ** 31 - 1

/** Settles like the work, or rejects as soon as the call is aborted, whatever the work does then. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work
  let stop = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    // The AI SDK recognizes an abort by its name.
    const message = 'The call was aborted.'
    stop = () => reject(Object.assign(new Error(message, { cause: signal.reason }), { name: 'AbortError' }))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The limits of a call, and what its error says when the time is over. */
interface Limits {
  signal: AbortSignal | undefined
  ms: number
  url: string
  message: string
}

/** Settles like the work, or rejects as soon as the call is aborted or its time is over, whatever the work does then. */
export async function inTime<T>(
  { signal, ms, url, message }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS))
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline
  return await unlessAborted(work(either), either).catch((error: unknown) => {
    const isLate = deadline.aborted && !signal?.aborted
    throw isLate ? runError(message, { url, code: 'deadline_exceeded', submission: 'unknown' }) : error
  })
}
