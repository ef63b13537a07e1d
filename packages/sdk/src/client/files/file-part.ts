import { abortable, type Clock, linkController, startTimer } from '../../shared/clock.ts'
import type { Interruption, ReceivedResponse } from '../http/operation.ts'
import { disconnected, interrupted, TIMEOUT } from '../http/send-attempt.ts'

/** The options of one request of a download. */
export interface PartOptions {
  clock: Clock
  /** The signal of the whole download. */
  signal: AbortSignal
  /** Time limit until the head, and between two chunks. */
  timeoutMs: number
  /** Removes what must not be printed. */
  redact: (text: string) => string
}

/** One response on its way: the whole file, or its rest. */
export interface FilePart {
  response: Response
  /** The next bytes, or undefined at the end. Never rejects. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined | Interruption>
  /** Frees the connection. */
  close(): void
}

/** Sends one request and resolves with the head of its response, or with the interruption. Never rejects. */
export async function requestPart(
  send: (signal: AbortSignal) => Promise<Response>,
  { clock, signal, timeoutMs, redact }: PartOptions,
): Promise<FilePart | Interruption> {
  const controller = linkController(signal)
  const stopped = (error: unknown) =>
    controller.signal.aborted ? interrupted(controller.signal, 'not_sent') : disconnected(error, 'not_sent', redact)
  const within = <T>(work: Promise<T>): Promise<T | Interruption> => {
    const stopTimer = startTimer(clock, timeoutMs, () => controller.abort(TIMEOUT))
    return abortable(work, controller.signal).catch(stopped).finally(stopTimer)
  }
  const response = signal.aborted
    ? interrupted(signal, 'not_sent')
    : await within((async () => await send(controller.signal))())
  if (isInterruption(response)) {
    controller.release()
    return response
  }
  const reader = response.body?.getReader()
  return {
    response,
    read: async () => {
      if (reader === undefined) return undefined
      const chunk = await within(reader.read())
      return isInterruption(chunk) ? chunk : (chunk.value as Uint8Array<ArrayBuffer> | undefined)
    },
    close: () => {
      controller.release()
      reader?.cancel().catch(() => {})
    },
  }
}

/** A response whose body is not read. */
export function headOf(response: Response): ReceivedResponse {
  return { status: response.status, text: '', requestId: undefined, response, isCut: false }
}

export function isInterruption(value: unknown): value is Interruption {
  return typeof value === 'object' && value !== null && 'kind' in value && 'submission' in value
}
