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
