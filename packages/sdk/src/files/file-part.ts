import { abortable, type Clock, DEADLINE, linkController, startTimer } from '../clock.ts'
import { describeNetworkFailure } from '../http/network-failure.ts'
import type { Interruption, ReceivedResponse } from '../http/operation.ts'

/** Marks an abort as a response that stands still. */
const TIMEOUT = /* @__PURE__ */ Symbol('timeout')

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
  const within = <T>(work: Promise<T>): Promise<T | Interruption> => {
    const stopTimer = startTimer(clock, timeoutMs, () => controller.abort(TIMEOUT))
    return abortable(work, controller.signal)
      .catch((error: unknown) => interruption(error, controller.signal, redact))
      .finally(stopTimer)
  }
  const response = signal.aborted ? endedBy(signal) : await within((async () => await send(controller.signal))())
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
  return { status: response.status, text: '', response, isCut: false }
}

export function isInterruption(value: unknown): value is Interruption {
  return typeof value === 'object' && value !== null && 'kind' in value && 'submission' in value
}

/** The interruption for the abort of a signal. */
export function endedBy({ reason }: AbortSignal): Interruption {
  if (reason === DEADLINE) return { kind: 'deadline', reason: 'deadline', submission: 'not_sent', cause: undefined }
  return { kind: 'aborted', reason: 'aborted', submission: 'not_sent', cause: reason }
}

function interruption(error: unknown, signal: AbortSignal, redact: (text: string) => string): Interruption {
  if (signal.reason === TIMEOUT) {
    return { kind: 'timeout', reason: 'time limit', submission: 'not_sent', cause: undefined }
  }
  if (signal.aborted) return endedBy(signal)
  const { reason, hint, cause } = describeNetworkFailure(error, redact)
  return { kind: 'connection', reason, hint, submission: 'not_sent', cause }
}
