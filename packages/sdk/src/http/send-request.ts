import ky, { isNetworkError } from 'ky'
import type { ResolvedOptions } from '../options.ts'
import type { PreparedRequest } from './build-request.ts'
import { composeMiddleware } from './middleware.ts'

/** What one request is sent with. */
export interface SendOptions {
  apiKey: string
  signal: AbortSignal
  /** 1 for the first attempt of a call. */
  attempt: number
  /** Called just before the request may leave. */
  onSend(): void
}

/** Sends a request once and resolves with the head of the answer, whatever its status. */
export type SendRequest = (request: PreparedRequest, options: SendOptions) => Promise<Response>

/** The one place that uses ky, which is given no decision: time limits, retries and statuses are ours. */
export function createSender(client: ResolvedOptions): SendRequest {
  let takesCache: boolean | undefined
  return async (request, { apiKey, signal, attempt, onSend }) => {
    const { method, path, url, body } = request
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${apiKey}`)
    takesCache ??= takesCacheOption()
    const send = composeMiddleware(client.middleware, { method, path, attempt }, async (outgoing) => {
      onSend()
      return await (client.fetch ?? globalThis.fetch)(outgoing)
    })
    try {
      return await ky(url, {
        method,
        headers,
        signal,
        timeout: false,
        retry: 0,
        throwHttpErrors: false,
        // Following a redirect would take the key, or a second POST, to another place.
        redirect: 'manual',
        // The second argument that ky passes holds options of frameworks, of which we have none.
        fetch: (outgoing) => send(outgoing as Request),
        ...(body === undefined ? {} : { body }),
        ...(method === 'GET' && takesCache ? { cache: 'no-store' as const } : {}),
      })
    } catch (error) {
      // ky's own errors hold the request, which prints the API key.
      throw isNetworkError(error) ? error.cause : error
    }
  }
}

/** Some runtimes refuse the field. Frameworks that patch `fetch` would otherwise freeze a job's status for ever. */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}
