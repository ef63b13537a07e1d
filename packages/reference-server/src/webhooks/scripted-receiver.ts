import type { ScriptedReceiver } from '../domain/scripted-webhook.ts'
import { fetchFailed } from '../faults/network-errors.ts'
import type { Deliver } from './send-delivery.ts'

/** A wait on the server's clock. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

/** A scripted receiver: late, or replaced by a response of the script. */
export function scriptedReceiver(
  { response: scripted, after_ms }: ScriptedReceiver,
  deliver: Deliver,
  pause: Pause,
): Deliver {
  return async (url, init) => {
    const response = scripted === undefined ? await deliver(url, init) : undefined
    if (after_ms !== undefined) await pause(after_ms, init.signal ?? new AbortController().signal)
    if (response !== undefined) return response
    if (scripted === 'reset') throw fetchFailed('reset', url)
    return new Response(null, { status: scripted ?? 200 })
  }
}
