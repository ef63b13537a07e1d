import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Checks, flag, having, hidden, isLoopback, needs, readOptions, text } from '@modelrun/kit'
import type { ReferenceServer } from '../reference-server.ts'
import { errorResponse } from '../wire/error-responses.ts'
import type { Reply, ReplyOrFault } from '../wire/messages.ts'
import { bind, doneOnce, endServer, urlOf } from './bind.ts'
import { createCors, readOrigin } from './cors.ts'
import type { DashboardPage } from './dashboard.ts'
import { ListenError } from './errors.ts'
import { NodeRequest } from './node-request.ts'
import { sendReply } from './send-reply.ts'

/** Options of `listen`. */
export interface ListenOptions {
  /** Port to listen on. Default 0: the system picks a free one. */
  port?: number | undefined
  /** Address or name to bind. Default `127.0.0.1`, which other machines cannot reach. */
  host?: string | undefined
  /**
   * Lets webhooks lead to private addresses although other machines can reach the server (`host` beyond loopback), as
   * between containers. Any caller with a key can then make it call what only it can reach. Default `false`: such runs get a
   * 400, and such deliveries fail.
   */
  allowPrivateWebhooks?: boolean | undefined
  /**
   * Origins of web pages that may call the service, such as `http://localhost:5173`; `*` stands for all. Pages send the
   * API key themselves: no cookies are involved. The control API stays closed to pages of other origins. Default: none.
   */
  cors?: readonly string[] | undefined
  /**
   * A page that shows the server in a browser: `await createDashboard()` of `@modelrun/dashboard`. Its url is that of the
   * server and `dashboard.path`. Default: none.
   */
  dashboard?: DashboardPage | undefined
}

const OPTIONS: Checks<ListenOptions> = {
  port: needs('a port', (value) => value === undefined || typeof value === 'number'),
  host: text,
  allowPrivateWebhooks: flag,
  cors: hidden(
    'a list of origins without a path, such as http://localhost:5173, or *',
    (value) => Array.isArray(value) && value.every((origin) => readOrigin(origin) !== undefined),
  ),
  dashboard: having('a dashboard', 'respond'),
}

/** A reference server that listens on a socket. */
export interface ListeningServer {
  /** Base address for clients, such as `http://127.0.0.1:4010`. A server bound to every address gives its loopback. */
  readonly url: string
  /** The TCP port that it listens on. */
  readonly port: number
  /** Stops listening and ends every connection, idle or busy. The reference server itself stays as it is. */
  close(): Promise<void>
}

/** The part of a reference server that a socket needs. */
export type ServedServer = Pick<ReferenceServer, 'transport'>

/**
 * Serves a reference server over node http. Resolves when the port is bound, and makes `url` the server's `baseUrl`, so
 * that the addresses of produced files work.
 *
 * @throws ListenError when the port is in use or cannot be bound for another reason
 * @throws ConfigurationError when an option is wrong
 */
export async function listen({ transport }: ServedServer, options: ListenOptions = {}): Promise<ListeningServer> {
  const {
    port = 0,
    host = '127.0.0.1',
    allowPrivateWebhooks = false,
    dashboard,
    cors: origins = [],
  } = readOptions('listen', options, OPTIONS)
  checkAddress(host, port)
  const cors = createCors(origins.flatMap((origin) => readOrigin(origin) ?? []))
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<ReplyOrFault> => {
    const request = NodeRequest.from(incoming, outgoing)
    if (request === undefined) return invalidRequest()
    return (
      cors(request, outgoing) ??
      (await pageReply(dashboard, request)) ??
      transport.handle(request, { transport: 'node', ip: incoming.socket.remoteAddress })
    )
  }
  // A request without `Host` gets a 400 with a body.
  const nodeServer = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    respond(incoming, outgoing)
      .then((reply) => sendReply(reply, incoming, outgoing))
      .catch(() => outgoing.destroy())
  })
  const address = await bind(nodeServer, port, host)
  const url = urlOf(host, address.port)
  transport.set({
    baseUrl: url,
    sendGuarded: isLoopback(host) || allowPrivateWebhooks ? undefined : sendGuarded,
    isShown: dashboard === undefined ? undefined : true,
  })
  return {
    url,
    port: address.port,
    close: doneOnce(() => endServer(nodeServer)),
  }
}

async function pageReply(page: DashboardPage | undefined, request: NodeRequest): Promise<Reply | undefined> {
  const response = page?.respond(request)
  if (response === undefined) return undefined
  const { status, headers, body } = response
  const bytes = body === null ? undefined : new Uint8Array(await response.arrayBuffer())
  return { status, headers: Object.fromEntries(headers), body: bytes }
}

function invalidRequest(): Reply {
  return errorResponse(
    'VALIDATION_ERROR',
    'The request has no URL: its path or its Host header is not valid. Send a path that starts with / and has no \\, and ' +
      'a Host such as localhost:4010.',
  )
}

// A host without a URL (an IPv6 zone, a port that is not a number) would be bound, and then have no URL.
function checkAddress(host: string, port: number): void {
  const url = urlOf(host, port)
  if (URL.canParse(url)) return
  throw new ListenError(`Cannot listen on port ${port} of ${host}: ${url} is not a URL that a client could use.`)
}

/** TLS and DNS load with the first delivery, as they would be a tenth of the start. */
async function sendGuarded(url: string, init: RequestInit): Promise<Response> {
  const { guardedDeliver } = await import('./guarded-deliver.ts')
  return guardedDeliver(url, init)
}
