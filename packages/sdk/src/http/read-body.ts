/** Responses of the service are small JSON documents. A larger body is from something else. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/** The text of a body, or the received part of it. */
export interface BodyText {
  text: string
  isCut: boolean
}

/**
 * Reads a body chunk by chunk. The part before a broken connection, a time limit or an abort is not lost: it may hold the
 * id of a job that was paid for. Settles at once when the signal aborts. Never rejects.
 */
export async function readBody(response: Response, signal: AbortSignal): Promise<BodyText> {
  if (response.body === null) return { text: '', isCut: false }
  const reader = response.body.getReader()
  // Ends the pending read, also when the body ignores it.
  const stop = () => void reader.cancel().catch(() => {})
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  try {
    for (;;) {
      const chunk = await reader.read()
      if (chunk.done && signal.aborted) break
      if (chunk.done) return { text: text + decoder.decode(), isCut: false }
      byteCount += chunk.value.byteLength
      if (byteCount > MAX_BODY_BYTES) break
      text += decoder.decode(chunk.value, { stream: true })
    }
  } catch {
    // Cut: by the connection's end, or by the signal.
  } finally {
    signal.removeEventListener('abort', stop)
  }
  // Frees the connection.
  stop()
  return { text, isCut: true }
}
