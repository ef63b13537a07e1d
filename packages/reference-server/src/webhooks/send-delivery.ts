import { LIMITS } from '@modelrun/contract'
import { messageWithCause } from '@modelrun/kit'
import type { ServerClock } from '../clock/clock.ts'
import type { ScriptedReceiver } from '../domain/scripted-webhook.ts'
import { fetchFailed } from '../faults/network-errors.ts'
import type { DeliveryRecord } from './delivery-record.ts'

/** A wait on the server's clock. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

/** A scripted receiver: late, or replaced by a response of the script. */
export function scriptedReceiver(
  { response: scripted, after_ms }: ScriptedReceiver,
  deliver: Send,
  pause: Pause,
): Send {
  return async (url, init) => {
    const response = scripted === undefined ? await deliver(url, init) : undefined
    if (after_ms !== undefined) await pause(after_ms, init.signal ?? new AbortController().signal)
    if (response !== undefined) return response
    if (scripted === 'reset') throw fetchFailed('reset', url)
    return new Response(null, { status: scripted ?? 200 })
  }
}

/** Sends a delivery, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

/** The outcome of an attempt. */
export type DeliveryOutcome = Pick<DeliveryRecord, 'outcome' | 'status' | 'reason'>

export interface SendDeliveryOptions {
  deliver: Send
  clock: Pick<ServerClock, 'setTimeout' | 'clearTimeout'>
  url: string
  /** JSON text. */
  body: string
  /** Ends the attempt early. */
  abort: AbortController
}

/** Sends a result once and waits for the response, 10 s at most on the server's clock (section 6, rules 1 and 2). */
export async function sendDelivery({
  deliver,
  clock,
  url,
  body,
  abort,
}: SendDeliveryOptions): Promise<DeliveryOutcome> {
  const aborted = new Promise<'aborted'>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const timer = clock.setTimeout(() => abort.abort(), LIMITS.webhookAckMs)
  try {
    const response = await Promise.race([post(deliver, { url, body, signal: abort.signal }), aborted])
    return response === 'aborted' ? { outcome: 'timeout' } : outcomeOf(response)
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

function outcomeOf(response: Response): DeliveryOutcome {
  // The body is cancelled: unread it would hold the connection.
  response.body?.cancel().catch(() => {})
  const outcome = response.ok ? 'delivered' : 'rejected'
  // Browsers hide the status of a redirect: 0.
  return response.status === 0 ? { outcome } : { outcome, status: response.status }
}
