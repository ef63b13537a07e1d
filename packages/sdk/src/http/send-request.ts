import type { ResolvedOptions } from '../options.ts'
import type { PreparedRequest } from './build-request.ts'
import { composeMiddleware } from './middleware.ts'

/** What one request is sent with. */
interface SendOptions {
  apiKey: string
  signal: AbortSignal
  /** 1 for the first attempt of a call. */
  attempt: number
  /** Called just before the request may leave. */
  onSend(): void
}

/** Sends a request once and resolves with the head of the answer, whatever its status. */
export type SendRequest = (request: PreparedRequest, options: SendOptions) => Promise<Response>

/** The one place that calls `fetch` for the service. */
export function createSender(client: ResolvedOptions): SendRequest {
  let takesCache: boolean | undefined
  return async (request, { apiKey, signal, attempt, onSend }) => {
    const { method, path, url, body } = request
    takesCache ??= takesCacheOption()
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${apiKey}`)
    const init: RequestInit = {
      method,
      headers,
      signal,
      // Following a redirect would take the key, or a second POST, to another place.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: sendOnce(body) }),
      ...(method === 'GET' && takesCache ? { cache: 'no-store' } : {}),
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

/** Some runtimes refuse the field. Frameworks that patch `fetch` would otherwise freeze a job's status for ever. */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}
