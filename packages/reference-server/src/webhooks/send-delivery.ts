import { LIMITS } from '@modelrun/contract'
import { abortable, messageWithCause } from '@modelrun/kit'
import type { ServerClock } from '../clock/clock.ts'
import { afterRealTime } from '../clock/real-time.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import { startOf } from '../history/journal.ts'
import { redactText, shownHeaders } from '../history/redact.ts'

/** Sends a delivery, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

export type DeliveryOutcome = Pick<DeliveryRecord, 'outcome' | 'status' | 'reason' | 'responseHeaders' | 'responseBody'>

export interface SendDeliveryOptions {
  deliver: Send
  clock: Pick<ServerClock, 'setTimeout' | 'clearTimeout'>
  url: string
  /** JSON text. */
  body: string
  /** Ends the attempt early. */
  signal: AbortSignal
  /** Whether the response is recorded. */
  isShown: boolean
}

/** Sends a result once and waits for the response, 10 s at most on the server's clock (section 6, rules 1 and 2). */
export async function sendDelivery({
  deliver,
  clock,
  url,
  body,
  signal: ended,
  isShown,
}: SendDeliveryOptions): Promise<DeliveryOutcome> {
  const limit = new AbortController()
  const signal = AbortSignal.any([limit.signal, ended])
  const timer = clock.setTimeout(() => limit.abort(), LIMITS.webhookAckMs)
  try {
    return await recordOf(await abortable(post(deliver, { url, body, signal }), signal), isShown)
  } catch (error) {
    return signal.aborted ? { outcome: 'timeout' } : { outcome: 'network_error', reason: messageWithCause(error) }
  } finally {
    clock.clearTimeout(timer)
  }
}

// `async`, so that a `deliver` which throws at once counts as a network error too.
async function post(deliver: Send, { url, body, signal }: { url: string; body: string; signal: AbortSignal }) {
  const headers = { 'content-type': 'application/json' }
  const response = await deliver(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  // In JavaScript a receiver may forget it.
  if (typeof response?.status !== 'number') throw new TypeError('the receiver returned no Response')
  return response
}

/** A body that takes longer counts as missing: the outcome of a delivery does not wait for it. */
const BODY_MS = 100

const MAX_REASON = 200

/** What is recorded of a response: of one that is not 2xx, what the receiver says about it. */
async function recordOf(response: Response, isShown: boolean): Promise<DeliveryOutcome> {
  const { status, ok, headers } = response
  const text = await readStart(response, isShown || !ok)
  return {
    outcome: ok ? 'delivered' : 'rejected',
    // Browsers hide the status of a redirect: 0.
    ...(status === 0 ? {} : { status }),
    ...(ok || !text ? {} : { reason: text.slice(0, MAX_REASON) }),
    ...(isShown ? { responseHeaders: shownHeaders(headers), responseBody: text } : {}),
  }
}

/** The start of a body, where it is wanted. The rest of it is cancelled: unread it would hold the connection. */
async function readStart({ body }: Response, isWanted: boolean): Promise<string | undefined> {
  const reader = body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => {})
  const stop = afterRealTime(BODY_MS, cancel)
  const part = isWanted ? await reader?.read().catch(() => undefined) : undefined // the connection may break
  stop()
  cancel()
  return part?.value && redactText(startOf(new TextDecoder().decode(part.value)))
}
