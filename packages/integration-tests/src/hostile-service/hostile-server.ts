import { createServer, type Socket } from 'node:net'
import { listenOn } from '../../../kit/test/listen-on.ts'

/** A request as it came over the socket. */
interface RawRequest {
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/** Acts on the socket of a request, for instance by sending a response. */
export type SocketAction = (socket: Socket, request: RawRequest) => void

/** What a server does: the responses to the requests of each method, in order; the last one repeats. */
export interface Script {
  POST?: readonly SocketAction[] | undefined
  GET?: readonly SocketAction[] | undefined
  DELETE?: readonly SocketAction[] | undefined
  /** Done to each connection as soon as it is open, before it says anything. */
  onConnect?: ((socket: Socket) => void) | undefined
  /** Called when a client is to wait in vain from now on. */
  onStall?: (() => void) | undefined
}

/** A server that follows a script of faults, on a real socket of this machine. */
export interface HostileServer {
  url: string
  /** Every request that came whole, in order. */
  requests: readonly RawRequest[]
  /** How many connections were opened. */
  connectionCount(): number
  close(): Promise<void>
}

export async function startHostileServer(script: Script): Promise<HostileServer> {
  const requests: RawRequest[] = []
  let connectionCount = 0
  const server = createServer((socket) => {
    connectionCount++
    // Else the second of two writes waits for an acknowledgement, which some systems delay by 40 ms.
    socket.setNoDelay()
    socket.on('stall', () => script.onStall?.())
    script.onConnect?.(socket)
    readRequests(socket, (request) => {
      const responses = script[request.method as 'POST' | 'GET' | 'DELETE'] ?? []
      const response = responses[Math.min(countOf(requests, request.method), responses.length - 1)]
      requests.push(request)
      if (response) response(socket, request)
      else socket.end('HTTP/1.1 501 No script for this\r\ncontent-length: 0\r\n\r\n')
    })
  })
  const { port, close } = await listenOn(server)
  return { url: `http://127.0.0.1:${port}`, requests, connectionCount: () => connectionCount, close }
}

/** The URL of a port without a listener. */
export async function findClosedPort(): Promise<string> {
  const server = await startHostileServer({})
  await server.close()
  return server.url
}

function countOf(requests: readonly RawRequest[], method: string): number {
  return requests.filter((request) => request.method === method).length
}

/** Takes requests off a connection, one after the other, each by its content-length. */
function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const headEnd = buffer.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const request = parseHead(buffer.toString('latin1', 0, headEnd))
      const end = headEnd + 4 + Number(request.headers['content-length'] ?? 0)
      if (buffer.length < end) return
      request.body = buffer.toString('utf8', headEnd + 4, end)
      buffer = buffer.subarray(end)
      onRequest(request)
    }
  })
}

function parseHead(head: string): RawRequest {
  const [start = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = start.split(' ')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { method, path, headers: Object.fromEntries(headers), body: '' }
}
