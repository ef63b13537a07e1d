import { nextTurn } from '../clock/real-time.ts'
import type { Pauses } from '../service/held-runs.ts'
import { bodyTerminated } from './network-errors.ts'

/** In how many parts a slow body comes. */
const PARTS = 4

/** A body that breaks off after these bytes. */
export function cutBody(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = bytes.byteLength === 0
  return new ReadableStream({
    // Only when the bytes have been read: an error drops what waits in the stream.
    async pull(controller) {
      if (!isSent) {
        isSent = true
        return controller.enqueue(bytes)
      }
      // Msw 3 needs a turn to hand on what it has read.
      await nextTurn()
      controller.error(bodyTerminated())
    },
  })
}

export interface SlowBodyOptions {
  /** Until the last part, on the server's clock. */
  delayMs: number
  pauses: Pauses
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

/** A body that comes in equal parts at equal intervals, read or not. */
export function slowBody(
  bytes: Uint8Array<ArrayBuffer>,
  options: SlowBodyOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = new AbortController()
  return new ReadableStream({
    start: (controller) => void sendSlowly(bytes, controller, { ...options, reader: reader.signal }),
    cancel: () => reader.abort(),
  })
}

async function sendSlowly(
  bytes: Uint8Array<ArrayBuffer>,
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
  { delayMs, pauses, signal, reader }: SlowBodyOptions & { reader: AbortSignal },
): Promise<void> {
  const anyEnd = AbortSignal.any([signal, reader])
  for (let part = 1; part <= PARTS; part++) {
    const hasPassed = await pauses.pause(delayMs / PARTS, anyEnd)
    if (reader.aborted) return
    if (!hasPassed) return controller.error(signal.aborted ? signal.reason : bodyTerminated())
    const chunk = bytes.subarray(partStart(bytes, part - 1), partStart(bytes, part))
    if (chunk.byteLength > 0) controller.enqueue(chunk)
  }
  controller.close()
}

function partStart(bytes: Uint8Array<ArrayBuffer>, part: number): number {
  return Math.floor((bytes.byteLength * part) / PARTS)
}
