import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientName } from '../clients.ts'

/** How the server treats a request; the first segment of its path names one. */
export type Scenario = keyof typeof SCENARIOS

/** A server on a free port of the loopback interface. */
export interface BenchServer {
  /** The address under which one client meets one scenario. */
  urlOf(scenario: Scenario, client: ClientName): string
  /** How many POSTs came since the last call. */
  takePostCount(): number
  close(): void
}

export async function startServer(): Promise<BenchServer> {
  let postCount = 0
  const server = createServer((request, response) => {
    if (request.method === 'POST') postCount++
    const [, scenario = '', client = ''] = request.url?.split('/') ?? []
    // Whole requests only: what a scenario does, it does to one that has been received.
    request.resume().once('end', () => respond({ request, response, scenario, client }))
  })
  // A silent response must not be ended by the server.
  server.requestTimeout = 0
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (scenario, client) => `http://127.0.0.1:${port}/${scenario}/${client}`,
    takePostCount: () => {
      const count = postCount
      postCount = 0
      return count
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  scenario: string
  client: string
}

function respond(exchange: Exchange): void {
  const scenario = SCENARIOS[exchange.scenario as Scenario]
  if (scenario === undefined) throw new TypeError(`There is no scenario ${exchange.scenario}.`)
  scenario(exchange)
}

const SCENARIOS = {
  /** A job that has finished. */
  job: (exchange: Exchange) => sendJob(exchange, 'done'),
  /** A run that is accepted, and has finished at the first poll. */
  run: (exchange: Exchange) => sendJob(exchange, exchange.request.method === 'POST' ? 'pending' : 'done'),
  /** A run that is accepted, and never finishes. */
  endless: (exchange: Exchange) => sendJob(exchange, 'pending'),
  /** A run that is accepted; polls get no response. */
  'silent-poll': (exchange: Exchange) => {
    if (exchange.request.method === 'POST') sendJob(exchange, 'pending')
  },
  /** Received, without a response. */
  silent: () => {},
  /** Received, then the connection is reset. */
  reset: ({ request }: Exchange) => request.socket.resetAndDestroy(),
  /** A run that is accepted, though the response breaks off in its body; it has finished at the first poll. */
  cut: (exchange: Exchange) => {
    if (exchange.request.method !== 'POST') return sendJob(exchange, 'done')
    sendHalf(exchange)
    setTimeout(() => exchange.request.socket.destroy(), 20)
  },
  /** The response stops in its body, and the connection stays. */
  'stalled-body': (exchange: Exchange) => sendHalf(exchange),
  'server-error': ({ response }: Exchange) => send(response, 500, { error: { code: 'INTERNAL', message: 'no' } }),
  throttled: ({ response }: Exchange) => {
    response.setHeader('retry-after', '5')
    send(response, 429, { error: { code: 'RATE_LIMITED', message: 'slow down' } })
  },
}

/** The words of each client's service for a job that continues and for one that has finished. */
const STATUSES: Readonly<Record<string, { pending: string; done: string }>> = {
  openai: { pending: 'in_progress', done: 'completed' },
  fal: { pending: 'IN_PROGRESS', done: 'COMPLETED' },
}

/** A job in the shape of every client at once, 600 bytes, so that all of them read the same body. */
function jobBody(client: string, state: 'pending' | 'done'): string {
  const status = STATUSES[client]?.[state] ?? { pending: 'processing', done: 'succeeded' }[state]
  const output = { type: 'image', items: ['a', 'b'].map((name) => ({ type: 'image', url: `data:,${name}` })) }
  const identity = { id: 'job_1', job_id: 'job_1', request_id: 'job_1', model_id: 'aurora/image' }
  const text = 'A red fox in fresh snow, early morning light, long lens, shallow depth of field. '
  return JSON.stringify({
    ...identity,
    status,
    message: text.repeat(3),
    data: { ...identity, status, ...(state === 'done' ? { output } : {}), created_at: '2026-01-01T00:00:00Z' },
  })
}

/** Made once: making bodies is not part of what is measured. */
const bodies = new Map<string, string>()

function sendJob({ response, client, request }: Exchange, state: 'pending' | 'done'): void {
  const key = `${client} ${state}`
  const body = bodies.get(key) ?? jobBody(client, state)
  bodies.set(key, body)
  const status = request.method === 'POST' && state === 'pending' ? 202 : 200
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function sendHalf({ response, client }: Exchange): void {
  const body = jobBody(client, 'done')
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, 40))
}
