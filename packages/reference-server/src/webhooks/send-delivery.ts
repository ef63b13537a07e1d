import { LIMITS } from '@modelrun/contract'
import { messageWithCause } from '@modelrun/kit'
import type { ServerClock } from '../clock/clock.ts'
import { afterRealTime } from '../clock/real-time.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import { startOf } from '../history/journal.ts'
import { redactText, shownHeaders } from '../history/redact.ts'

/** Sends a delivery, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

/** The outcome of an attempt. */
export type DeliveryOutcome = Pick<DeliveryRecord, 'outcome' | 'status' | 'reason' | 'responseHeaders' | 'responseBody'>

export interface SendDeliveryOptions {
  deliver: Send
  clock: Pick<ServerClock, 'setTimeout' | 'clearTimeout'>
  url: string
  /** JSON text. */
  body: string
  /** Ends the attempt early. */
  abort: AbortController
  /** Whether the response is recorded. */
  isShown: boolean
}

/** Sends a result once and waits for the response, 10 s at most on the server's clock (section 6, rules 1 and 2). */
export async function sendDelivery({
  deliver,
  clock,
  url,
  body,
  abort,
  isShown,
}: SendDeliveryOptions): Promise<DeliveryOutcome> {
  const aborted = new Promise<'aborted'>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const timer = clock.setTimeout(() => abort.abort(), LIMITS.webhookAckMs)
  try {
    const response = await Promise.race([post(deliver, { url, body, signal: abort.signal }), aborted])
    if (response === 'aborted') return { outcome: 'timeout' }
    return { ...outcomeOf(response), ...(await responseOf(response, isShown)) }
  } catch (error) {
    return abort.signal.aborted ? { outcome: 'timeout' } : { outcome: 'network_error', reason: messageWithCause(error) }
  } finally {
    clock.clearTimeout(timer)
  }
}

// `async`, so that a `deliver` which throws at once counts as a network error too.
async function post(deliver: Send, { url, body, signal }: { url: string; body: string; signal: AbortSignal }) {
  const headers = { 'content-type': 'application/json' }
  return await deliver(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
}

/** A body that takes longer counts as missing: the outcome of a delivery does not wait for it. */
const BODY_MS = 100

/** What is recorded of the response. The rest of its body is cancelled: unread it would hold the connection. */
async function responseOf({ headers, body }: Response, isShown: boolean): Promise<Partial<DeliveryOutcome>> {
  const reader = body?.getReader()
  const cancel = () => reader?.cancel().catch(() => {})
  if (!isShown || reader === undefined) {
    void cancel()
    return isShown ? { responseHeaders: shownHeaders(headers) } : {}
  }
  const stop = afterRealTime(BODY_MS, cancel)
  const bytes = await reader.read().then(
    ({ value }) => value,
    () => undefined, // the connection broke within the body
  )
  stop()
  void cancel()
  const text = bytes && redactText(startOf(new TextDecoder().decode(bytes)))
  return { responseHeaders: shownHeaders(headers), responseBody: text }
}

function outcomeOf(response: Response): DeliveryOutcome {
  const outcome = response.ok ? 'delivered' : 'rejected'
  // Browsers hide the status of a redirect: 0.
  return response.status === 0 ? { outcome } : { outcome, status: response.status }
}
