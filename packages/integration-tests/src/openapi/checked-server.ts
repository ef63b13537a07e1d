import { createReferenceServer, type ReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { checkDelivery, checkExchange } from './exchange-validator.ts'

/** A reference server whose every exchange and delivery is checked by the OpenAPI document. */
export interface CheckedServer extends ReferenceServer {
  /**
   * What broke the document so far. A test that breaks it on purpose takes these; with any left, closing the server
   * fails the test.
   */
  takeViolations(): Promise<string[]>
}

/** Creates a reference server that is checked; the clock is `auto` by default. */
export function createCheckedServer(options: ReferenceServerOptions = {}): CheckedServer {
  const record = new ExchangeRecord()
  const { deliver = (request: Request) => globalThis.fetch(request) } = options
  const checkedDeliver: typeof deliver = async (request) => {
    record.addDelivery(await request.clone().text())
    return deliver(request)
  }
  return checkServer(createReferenceServer({ clock: 'auto', ...options, deliver: checkedDeliver }), record)
}

/** Checks the responses of a server, over any transport. */
export function checkServer(server: ReferenceServer, record = new ExchangeRecord()): CheckedServer {
  const close = async () => {
    await server.close()
    const violations = await record.take()
    if (violations.length > 0) throw new Error(`Not as the OpenAPI document says:\n${violations.join('\n')}`)
  }
  const observed: ReferenceServer['fetch'] = (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, server.baseUrl), init)
    return record.observe(server, request, (given) => server.fetch(given))
  }
  // With the mark of the server's own, so that the client takes its refused connections for what they are.
  const fetch = Object.assign(observed, server.fetch)
  const changes = {
    fetch,
    transport: {
      ...server.transport,
      handle: async (incoming, context) => {
        const { method, url, headers, signal } = incoming
        const body = method === 'GET' || method === 'HEAD' ? null : await incoming.arrayBuffer()
        const request = new Request(url, { method, headers: [...headers], body, signal })
        return record.observe(server, request, (observed) => server.transport.handle(observed, context))
      },
    } satisfies ReferenceServer['transport'],
    clientOptions: () => ({ ...server.clientOptions(), fetch }),
    takeViolations: () => record.take(),
    close,
  }
  // The rest stays the server's own, `baseUrl` included, which changes.
  return Object.assign(Object.create(server) as ReferenceServer, changes)
}

type Handled = Awaited<ReturnType<ReferenceServer['transport']['handle']>>

/** The exchanges of one server, and what is wrong with them. */
class ExchangeRecord {
  readonly #reading = new Set<Promise<void>>()
  #violations: string[] = []

  addDelivery(text: string): void {
    this.#add('delivery', checkDelivery(text))
  }

  /** Handles a request, and reads a copy of request and response. */
  async observe<A extends Response | Handled>(
    server: ReferenceServer,
    request: Request,
    handle: (request: Request) => Promise<A>,
  ): Promise<A> {
    const path = pathBelow(server.baseUrl, request.url)
    if (!path.startsWith('/v1/')) return handle(request)
    const requestText = textOf(request)
    const response = await handle(request)
    const seen = response instanceof Response ? response : responseOf(response)
    // A broken connection is not an exchange.
    if (seen === undefined) return response
    const texts = Promise.all([requestText, textOf(seen)])
    this.#reading.add(
      texts.then(([requestText, responseText]) => {
        // What broke off is not an exchange.
        if (requestText === undefined || responseText === undefined) return
        const problems = checkExchange({ path, request, requestText, response: seen, responseText })
        this.#add(`${request.method} ${path} ${seen.status}`, problems)
      }),
    )
    return response
  }

  async take(): Promise<string[]> {
    await Promise.all(this.#reading)
    const violations = this.#violations
    this.#violations = []
    return violations
  }

  #add(what: string, problems: readonly string[]): void {
    this.#violations.push(...problems.map((problem) => `${what}: ${problem}`))
  }
}

function pathBelow(baseUrl: string, url: string): string {
  const { pathname } = new URL(url)
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}

/** A response as the transports of the server get it. */
function responseOf({ status, ...reply }: Handled): Response | undefined {
  if (status === undefined || !('headers' in reply) || typeof reply.body === 'function') return undefined
  return new Response(reply.body ?? null, { status, headers: reply.headers })
}

/** The body, read from a copy; `undefined` when it broke off. */
function textOf(message: Request | Response): Promise<string | undefined> {
  return message
    .clone()
    .text()
    .catch(() => undefined)
}
