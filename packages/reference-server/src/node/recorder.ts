import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { KEY_PREFIXES } from '@modelrun/contract'
import { isPlainHttp, memberOf, messageWithCause, tryParseJson } from '@modelrun/kit'
import { Recorder } from '../recording/exchange.ts'
import { bind, doneOnce, endServer, urlOf } from './bind.ts'
import type { RecordCommand } from './cli-options.ts'
import { print, warn } from './errors.ts'
import { checkInput, onStop } from './input-end.ts'
import { type Store, startRecording } from './recording-file.ts'

export interface RecorderOptions {
  service: URL
  folder: string
  host: string
  port: number
  /** Gets a line for each request, and what the user should know although the recorder continues. */
  log: (line: string) => void
  warn: (line: string) => void
  /** Longest time, in milliseconds, to the head of a response. A synchronous run is held for about 55 s (section 8). */
  silenceMs?: number
  /** Whether a live key may go over plain http to another machine. */
  allowHttp?: boolean
}

export interface ListeningRecorder {
  url: string
  /** Stops listening, waits for the responses to requests that were passed on, and stores everything. */
  close(): Promise<void>
}

/**
 * Stands in front of a service: passes every request on once, and stores what the exchanges show.
 *
 * @throws ListenError when the port cannot be bound
 * @throws UsageError when the folder cannot be used
 */
export async function startRecorder(options: RecorderOptions): Promise<ListeningRecorder> {
  const { host, port, warn } = options
  const server = createServer()
  const address = await bind(server, port, host)
  const store = await startRecording(options.folder, options.service.href).catch(async (error: unknown) => {
    await endServer(server)
    throw error
  })
  const session = { ...options, store, recorder: new Recorder() }
  /** Requests without a response. */
  const pending = new Set<Promise<void>>()
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const handled = recordExchange(session, incoming, outgoing).catch((error: unknown) => {
      warn(`A response could not be passed on or stored: ${error}`)
      outgoing.destroy()
    })
    pending.add(handled)
    void handled.then(() => pending.delete(handled))
  })
  const close = doneOnce(async () => {
    server.close()
    if (pending.size > 0) warn(`Waiting for the service (requests: ${pending.size}). Ctrl+C stops at once.`)
    await Promise.all(pending) // their responses are paid for
    await endServer(server)
  })
  return { url: urlOf(host, address.port), close }
}

type Session = RecorderOptions & { store: Store; recorder: Recorder }

async function recordExchange(session: Session, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming
  const at = Date.now()
  outgoing.on('error', () => {}) // The client may go away; its request is recorded all the same.
  const body = await buffer(incoming).catch(() => undefined)
  if (body === undefined) return // It went away before its request was complete: nothing is sent.
  // A request as to a proxy names the host too; it goes to the service.
  const target = url.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const headers = endToEnd(incoming)
  const response = rejectLiveKey(session, headers) ?? (await send(session, target, { method, headers, body }))
  const text = await passOn(response, outgoing)
  const ms = Date.now() - at
  const path = target.replace(/\?.*/s, '')
  const exchange = session.recorder.record({ method, path, status: response.status, json: tryParseJson(text), at, ms })
  if (exchange !== undefined && !(response instanceof NoResponse)) await session.store(exchange)
  const by = response instanceof NoResponse ? ' of the recorder' : ''
  session.log(`${method} ${exchange?.route ?? 'of another path'} ${response.status}${by} ${ms} ms`)
}

/** Why the service gave no response. */
class NoResponse extends Response {
  constructor(code: string, message: string, status = 502) {
    super(JSON.stringify({ error: { code, message } }), {
      status,
      headers: { 'content-type': 'application/json' },
    })
  }
}

function rejectLiveKey({ service, allowHttp }: Session, headers: Headers): NoResponse | undefined {
  const isLive = [...headers.values()].some((value) => value.includes(KEY_PREFIXES.live))
  if (!isLive || allowHttp || !isPlainHttp(service.href)) return undefined
  const text = `A live key is not sent to ${service.origin}: everybody on the way can read it. Nothing was sent to the service.`
  return new NoResponse('RECORDER_PLAIN_HTTP', `${text} Use https, or set MODELRUN_ALLOW_HTTP=1 for the recorder.`, 403)
}

/** Sends a request once: nothing is sent again, no redirect is followed, and each request has a connection of its own. */
async function send(
  { service: { origin, pathname }, silenceMs = 120_000 }: Session,
  target: string,
  { method, headers, body }: { method: string; headers: Headers; body: Buffer },
): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Error(`nothing came for ${silenceMs / 1_000} s`)), silenceMs)
  const content = method === 'GET' || method === 'HEAD' ? null : new Uint8Array(body)
  try {
    const url = `${origin}${pathname.replace(/\/$/, '')}${target}`
    return await fetch(url, { method, headers, body: content, redirect: 'manual', signal: abort.signal })
  } catch (error) {
    return noResponse(origin, method, error)
  } finally {
    clearTimeout(timer)
  }
}

/** Errors before there was a connection. With any other, the request may have been received. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

function noResponse(origin: string, method: string, reason: unknown): NoResponse {
  const code = String(memberOf(memberOf(reason, 'cause'), 'code') ?? '')
  if (NOT_CONNECTED.test(code)) {
    const text = `The recorder could not connect to ${origin}: ${code}. Nothing was sent to the service.`
    return new NoResponse('RECORDER_NOT_CONNECTED', text)
  }
  const doubt = method === 'POST' ? ' The run may have been received, and then it is charged.' : ''
  const text = `The recorder sent the request to ${origin} once, and got no response: ${messageWithCause(reason)}.${doubt}`
  return new NoResponse('RECORDER_NO_RESPONSE', text)
}

/** Headers of one connection, which are not passed on (RFC 9110, section 7.6.1), and those of the encoding, which `fetch` undoes. */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|content-length|content-encoding)$/

function isPassed(name: string, connection = ''): boolean {
  const named = connection.toLowerCase().split(/[\s,]+/)
  return !HOP_BY_HOP.test(name) && !named.includes(name)
}

function endToEnd({ headers, headersDistinct }: IncomingMessage): Headers {
  const passed = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    isPassed(name, headers.connection) ? values.map((value): [string, string] => [name, value]) : [],
  )
  return new Headers([...passed, ['connection', 'close']])
}

/** Passes a response on as it comes, and reads it to its end although the client may be gone. */
async function passOn({ headers, status, statusText, body }: Response, outgoing: ServerResponse): Promise<string> {
  const passed = [...headers].filter(([name]) => isPassed(name, headers.get('connection') ?? ''))
  outgoing.writeHead(status, statusText, passed.flat())
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    outgoing.write(chunk)
  }
  outgoing.end()
  return Buffer.concat(chunks).toString()
}

/** Records the service of the command line until a signal ends it. Resolves when the recorder listens. */
export async function record({ service, to, host, port, exitWithParent, announce }: RecordCommand): Promise<void> {
  if (exitWithParent) checkInput()
  const log = announce === 'text' ? print : () => {}
  const allowHttp = process.env.MODELRUN_ALLOW_HTTP === '1'
  const recorder = await startRecorder({ service: new URL(service), folder: to, host, port, log, warn, allowHttp })
  onStop(() => void recorder.close(), exitWithParent)
  const { url } = recorder
  if (announce === 'json') print(JSON.stringify({ ready: true, url, service, folder: to }))
  log(`The recorder listens at ${url}, and passes every request on to ${service}: runs are charged. Ctrl+C stops it.`)
  log(`Use the url in place of that of the service, with its key. Afterwards: modelrun-server --replay ${to}\n`)
}
