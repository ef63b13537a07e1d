import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { WebhookReceiver } from '../webhooks/webhook-endpoints.ts'

export interface ReceiveWebhooksOptions {
  /** Port to listen on. Default 0: the system picks a free one. */
  port?: number | undefined
  /** Public URL that forwards to the port. Default: `http://127.0.0.1` with the port, which only this machine reaches. */
  publicUrl?: string | undefined
}

/** A receiver that listens on a port. */
export interface ListeningReceiver extends WebhookReceiver {
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** Listens for webhook deliveries. Rejects when the port cannot be bound. */
export async function receiveWebhooks(options: ReceiveWebhooksOptions = {}): Promise<ListeningReceiver> {
  let respond = async (_: Request): Promise<Response> => new Response(null, { status: 404 })
  const server = createServer(async (incoming, outgoing) => {
    // A broken or invalid request must not end the suite.
    const response = requestOf(incoming).then(respond)
    const status = await response.then((one) => one.status).catch(() => 500)
    outgoing.writeHead(status).end()
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  // Bound to a port, so neither null nor the name of a pipe.
  const address = server.address() as AddressInfo
  return {
    url: options.publicUrl ?? `http://127.0.0.1:${address.port}`,
    onRequest: (handleRequest) => {
      respond = handleRequest
    },
    close: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  // Only headers that came are there.
  const fields = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  const body = (await text(incoming)) || null
  return new Request(new URL(url, 'http://receiver'), { method, headers: fields, body })
}
