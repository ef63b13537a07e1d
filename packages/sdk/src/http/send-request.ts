import type { ResolvedOptions } from '../options.ts'
import { composeMiddleware } from './middleware.ts'

/** What ky has prepared, and what one attempt adds to it. */
interface SendOptions {
  /** Undefined: a proxy adds it. */
  apiKey: string | undefined
  signal: AbortSignal
  /** Below the base address, without query. */
  path: string
  method: string
  body: string | undefined
  /** 1 for the first attempt of a call. */
  attempt: number
  /** Called just before the request may leave. */
  onSend(): void
}

/** Sends a request once and resolves with the head of the answer, whatever its status. */
export type SendRequest = (request: Request, options: SendOptions) => Promise<Response>

/** The one place that calls `fetch` for the service: what ky gets as its `fetch` ends here. */
export function createSender(client: ResolvedOptions): SendRequest {
  return async (
    { url, method: askedMethod, headers: prepared, redirect, cache },
    { apiKey, signal, path, method, body, attempt, onSend },
  ) => {
    // A hook may have made another request of it. The key stays with the service, and what is sent again stays what it was.
    if (!url.startsWith(`${client.baseUrl}/`)) throw new TypeError('a hook sent the request away from `baseUrl`')
    if (askedMethod !== method) throw new TypeError(`a hook made a ${askedMethod} of the ${method}`)
    // Added here, and not to the request that ky holds: its errors would print it.
    const headers = new Headers(prepared)
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    const init: RequestInit = {
      method,
      headers,
      signal,
      redirect,
      ...(body === undefined ? {} : { body: sendOnce(body) }),
      ...(cache === 'no-store' ? { cache } : {}),
    }
    const send: typeof fetch = (input, sendInit) => {
      onSend()
      return (client.fetch ?? globalThis.fetch)(input, sendInit)
    }
    if (client.middleware.length === 0) return await send(url, init)
    return await composeMiddleware(client.middleware, { method, path, attempt }, send)(new Request(url, init))
  }
}

/**
 * Deno's own `fetch` sends a request again when the connection breaks under it, a POST too, which would pay twice
 * (denoland/deno#35610). It leaves a Blob alone, for it could have been used up.
 */
function sendOnce(body: string): string | Blob {
  return 'Deno' in globalThis ? new Blob([body]) : body
}
