import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tryParseJson } from '@modelrun/kit'
import type { Exchange } from '../../recording/exchange.ts'
import { Learner } from '../../recording/learner.ts'
import { Redactor } from '../../recording/redactor.ts'
import { bind, endServer, urlOf } from '../bind.ts'
import {
  endToEnd,
  forward,
  MAX_BODY_BYTES,
  NoResponseError,
  type PassedRequest,
  type PassOnLimits,
  passOn,
  readAll,
  textOf,
} from './pass-on.ts'
import { RecordingFolder } from './recording-folder.ts'

export interface RecorderOptions {
  /** URL of the real service. */
  service: URL
  /** Folder of the recording. */
  folder: string
  host: string
  port: number
  /** Gets a line for each request. */
  log: (line: string) => void
  /** Gets what the user should know although the recorder continues. */
  warn: (line: string) => void
  limits?: PassOnLimits
}

/** A recorder that listens. */
export interface Recorder {
  url: string
  /** Stops listening, waits for the responses to requests that were passed on, and stores everything. */
  close(): Promise<void>
}

const LIMITS: PassOnLimits = { connectMs: 20_000, silenceMs: 120_000 }

/**
 * Stands in front of a service: passes every request on once, and records what the exchanges show.
 *
 * @throws ListenError when the port cannot be bound
 * @throws UsageError when the folder cannot be used
 */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const redactor = new Redactor()
  const { folder, recording } = await RecordingFolder.open(options.folder, options.service.href, redactor)
  const session = new Session(options, { folder, redactor, learner: new Learner(recording) })
  const server = createServer((incoming, outgoing) => void session.handle(incoming, outgoing))
  try {
    const { port } = await bind(server, options.port, options.host)
    const close = async () => {
      server.close()
      await session.finish()
      await endServer(server)
      await folder.close()
    }
    let closing: Promise<void> | undefined
    return {
      url: urlOf(options.host, port),
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await folder.close()
    throw error
  }
}

interface Parts {
  folder: RecordingFolder
  redactor: Redactor
  learner: Learner
}

/** One life of a recorder. */
class Session {
  readonly #options: RecorderOptions
  readonly #parts: Parts
  /** Requests without a response. */
  readonly #pending = new Set<Promise<void>>()
  /** One exchange after the other. */
  #learned: Promise<void> = Promise.resolve()

  constructor(options: RecorderOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
  }

  /** Resolves when every request has its response, which is paid for, and all of them are stored. */
  async finish(): Promise<void> {
    const { size } = this.#pending
    if (size > 0) this.#options.warn(`Waiting for the service (requests: ${size}). Ctrl+C stops at once.`)
    await Promise.all(this.#pending)
    await this.#learned
  }

  /** Never rejects. */
  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const handled = this.#handle(incoming, outgoing).catch((error: unknown) => {
      this.#options.warn(`A response could not be passed on: ${error}`)
      outgoing.destroy()
    })
    this.#pending.add(handled)
    await handled
    this.#pending.delete(handled)
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    // A request as to a proxy names the host too; it goes to the service.
    const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '')
    this.#parts.redactor.see(pairsOf(incoming.rawHeaders))
    const startedAt = Date.now()
    outgoing.on('error', () => {}) // The client may go away; what it asked for is recorded all the same.
    const result = await this.#passOn(incoming, outgoing, { method, path })
    if (result === undefined) return
    const [pathOnly = '', query] = path.split(/(?=\?)/)
    this.#options.log(this.#parts.redactor.text(`${method} ${pathOnly} ${result.text} ${Date.now() - startedAt} ms`))
    if (result.seen === undefined) return
    const { body, ...seen } = result.seen
    this.#learn({
      method,
      path: pathOnly,
      query: query ?? '',
      contentType: incoming.headers['content-type'] ?? '',
      body: body.toString(),
      startedAt,
      endedAt: Date.now(),
      ...seen,
    })
  }

  /** @returns `undefined` when the client went away before its request was complete: then nothing was sent */
  async #passOn(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { method, path }: Pick<PassedRequest, 'method' | 'path'>,
  ): Promise<Result | undefined> {
    const body = await readAll(incoming)
    if (body === 'broken') return undefined
    if (body === 'too large') {
      return ownResponse(outgoing, 413, {
        code: 'RECORDER_BODY_TOO_LARGE',
        message: `The recorder passes on bodies of up to ${MAX_BODY_BYTES} bytes. Nothing was sent to the service.`,
      })
    }
    const length = body.length > 0 || method === 'POST' ? ['Content-Length', String(body.length)] : []
    const headers = [...endToEnd(incoming, ['host', 'content-length', 'expect']), ...length]
    try {
      const { limits = LIMITS, service } = this.#options
      const response = await passOn({ method, path, headers, body }, service, limits)
      const status = response.statusCode ?? 0
      outgoing.writeHead(status, response.statusMessage, endToEnd(response))
      const received = await forward(response, outgoing)
      const text = received === 'broken' ? `${status}, and then the connection broke` : String(status)
      return { text, seen: typeof received === 'string' ? undefined : { ...seenOf(response, received), body } }
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      return ownResponse(outgoing, error.isTimeout ? 504 : 502, this.#noResponse(error, method))
    }
  }

  #noResponse({ message, wasSent, isTimeout }: NoResponseError, method: string): OwnError {
    const { origin } = this.#options.service
    const reason = message.replace(/\.$/, '')
    if (!wasSent) {
      return {
        code: 'RECORDER_NOT_CONNECTED',
        message: `The recorder could not connect to ${origin}: ${reason}. Nothing was sent to the service.`,
      }
    }
    const doubt = method === 'POST' ? ' The run may have been received, and then it is charged.' : ''
    return {
      code: isTimeout ? 'RECORDER_TIMEOUT' : 'RECORDER_NO_RESPONSE',
      message: `The recorder sent the request to ${origin} once, and got no response: ${reason}.${doubt}`,
    }
  }

  #learn(exchange: Exchange): void {
    const { learner, folder } = this.#parts
    this.#learned = this.#learned
      .then(() => learner.learn(exchange))
      .then(() => folder.save(learner.recording()))
      .catch((error: unknown) => this.#options.warn(`The recording could not be written: ${error}`))
  }
}

interface OwnError {
  code: string
  message: string
}

/** What is known of a request that was handled. */
interface Result {
  /** For the log. */
  text: string
  seen?: (Pick<Exchange, 'status' | 'hasRequestId' | 'json'> & { body: Buffer }) | undefined
}

function ownResponse(outgoing: ServerResponse, status: number, error: OwnError): Result {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  return { text: `${status} of the recorder: ${error.message}` }
}

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
}

function seenOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer) {
  const json = tryParseJson(textOf(body, headers['content-encoding']))
  return { status: statusCode, hasRequestId: headers['x-request-id'] !== undefined, json }
}
