/** Copies chunks together as they come: kept one by one, chunks of one byte would take a hundred times their size. */
export function collectBytes(maxBytes: number) {
  const encoder = new TextEncoder()
  let bytes = new Uint8Array()
  let byteCount = 0
  return {
    get isTooLarge() {
      return byteCount > maxBytes
    },
    add: (value: Uint8Array | string) => {
      const chunk = typeof value === 'string' ? encoder.encode(value) : value
      const start = byteCount
      byteCount += chunk.byteLength
      if (byteCount > maxBytes) {
        bytes = new Uint8Array()
        return
      }
      if (byteCount > bytes.byteLength) {
        const grown = new Uint8Array(Math.min(maxBytes, byteCount * 2))
        grown.set(bytes)
        bytes = grown
      }
      bytes.set(chunk, start)
    },
    bytes: () => bytes.slice(0, byteCount),
  }
}
