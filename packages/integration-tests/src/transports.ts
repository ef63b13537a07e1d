import type { ReferenceServerOptions } from '@modelrun/reference-server'
import { handlers } from '@modelrun/reference-server/msw'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { setupServer } from 'msw/node'
import { type CheckedServer, createCheckedServer } from './openapi/checked-server.ts'

/** A reference server and a way to it. */
export interface Connection {
  /** Whatever goes wrong between it and a client, by the OpenAPI document, makes `close` fail. */
  server: CheckedServer
  /** A client whose waits run on the server's clock. */
  client: ModelRun
  /** Another client of the same service. */
  connect(options?: ModelRunOptions): ModelRun
  /** The way itself, for requests without the client. */
  fetch: typeof globalThis.fetch
  baseUrl: string
  close(): Promise<void>
}

/** Opens a connection; the server's clock is `auto` by default. */
export type OpenConnection = (options?: ReferenceServerOptions) => Promise<Connection>

/** The three ways to the same server. */
export const TRANSPORTS: readonly { name: string; open: OpenConnection }[] = [
  { name: 'server.fetch', open: openInProcess },
  { name: 'MSW', open: openMsw },
  { name: 'a socket', open: openSocket },
]

export async function openInProcess(options?: ReferenceServerOptions): Promise<Connection> {
  const server = createCheckedServer(options)
  return connection(server, { baseUrl: server.baseUrl, fetch: server.fetch, close: async () => {} })
}

async function openMsw(options?: ReferenceServerOptions): Promise<Connection> {
  const server = createCheckedServer(options)
  const network = setupServer(...handlers(server))
  // Webhook receivers of the tests are real servers on this machine.
  network.listen({ onUnhandledFrame: 'bypass' })
  return connection(server, { baseUrl: server.baseUrl, fetch: globalThis.fetch, close: async () => network.close() })
}

export async function openSocket(options?: ReferenceServerOptions): Promise<Connection> {
  const server = createCheckedServer(options)
  const { url, close } = await listen(server)
  return connection(server, { baseUrl: url, fetch: globalThis.fetch, close })
}

function connection(
  server: CheckedServer,
  way: { baseUrl: string; fetch: typeof globalThis.fetch; close(): Promise<void> },
): Connection {
  const { baseUrl, fetch } = way
  const connect = (options: ModelRunOptions = {}) =>
    new ModelRun({ apiKey: server.apiKey, clock: server.clock, baseUrl, fetch, ...options })
  const close = async () => {
    await way.close()
    await server.close()
  }
  return { server, client: connect(), connect, fetch, baseUrl, close }
}
