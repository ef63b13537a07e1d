/** The data of each server-sent event of a response. `EventSource` cannot send the control token. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined) yield data.slice('data: '.length)
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
