import { nodeBuiltin } from '@modelrun/kit'
import type { ManualClock } from './manual-clock.ts'

/** Responds to one request. */
export type Step = (request: Request) => Response | Promise<Response>

/** A request as the service got it. */
interface ReceivedRequest {
  method: string
  url: string
  /** Path and query. */
  path: string
  headers: Headers
  /** The parsed body; undefined when there was none. */
  body: unknown
  /** When it came, in milliseconds after the clock was made. */
  at: number
  request: Request
}

/** A service that follows a script, as a `fetch` function. */
export interface ScriptedService {
  fetch: typeof globalThis.fetch
  readonly received: readonly ReceivedRequest[]
  /** When the requests came, in milliseconds after the clock was made. */
  times(): number[]
  methods(): string[]
}

/** Makes a service of steps, one for each request; the last one responds to all further requests too. */
export function createScriptedService(steps: readonly Step[], clock: ManualClock): ScriptedService {
  const received: ReceivedRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const step = steps[Math.min(received.length, steps.length - 1)]
    if (step === undefined) throw new Error('The script has no step.')
    const { method, url, headers } = request
    const { pathname, search } = new URL(url)
    const entry = {
      method,
      url,
      path: `${pathname}${search}`,
      headers,
      at: clock.elapsedMs(),
      request,
      body: undefined,
    }
    received.push(entry)
    const text = await request.text()
    if (text !== '') entry.body = JSON.parse(text)
    return await step(request)
  }
  // See `unconnected`.
  const times = () => received.map(({ at }) => at)
  const methods = () => received.map(({ method }) => method)
  return {
    received,
    times,
    methods,
    fetch: Object.assign(fetch, { [Symbol.for('modelrun.reports_like_undici')]: true }),
  }
}

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return () => Response.json(body, { status, headers })
}

/** Responds with text, or with an empty body for `null`. */
export function text(status: number, body: string | null, headers: Record<string, string> = {}): Step {
  return () => new Response(body, { status, headers })
}

/** Responds with the error body of section 7. */
export function errorResponse(status: number, code: string, headers: Record<string, string> = {}): Step {
  return json(status, { error: { code, message: `The ${code} message` } }, headers)
}

/** Fails as `fetch` does when the connection was made: a TypeError whose cause has the code. */
export function broken(code: string): Step {
  return () => {
    throw fetchFailed(code)
  }
}

/** Fails as `fetch` does when no connection is made: undici reports that too. */
export function unconnected(code: string): Step {
  return () => {
    const error = fetchFailed(code)
    const channel = nodeBuiltin('node:diagnostics_channel')?.channel('undici:client:connectError')
    channel?.publish({ error: error.cause })
    throw error
  }
}

function fetchFailed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code} happened`), { code }) })
}

/** Sends some of the body, then breaks the connection. */
export function cut(status: number, body: string): Step {
  return () =>
    new Response(
      streamOf(body, (controller) => controller.error(new TypeError('terminated'))),
      { status },
    )
}

/** Sends some of the body, then nothing more. */
export function stalled(status: number, body: string): Step {
  return () => new Response(streamOf(body), { status })
}

/** Never responds; fails when the request is aborted, as `fetch` does. */
export function silent(): Step {
  return ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

function streamOf(
  body: string,
  then: (controller: ReadableStreamDefaultController<Uint8Array>) => void = () => {},
): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull: (controller) => {
      if (isSent) return then(controller)
      isSent = true
      controller.enqueue(new TextEncoder().encode(body))
      return undefined
    },
  })
}
