import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { listenOn } from '../../../kit/test/listen-on.ts'

const folder = new URL('./certificates/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

/** The authority that has signed `server.pem`, `other-name.pem` and `expired.pem`. */
export const AUTHORITY = read('authority.pem')
export const AUTHORITY_FILE = fileURLToPath(new URL('authority.pem', folder))

/** A certificate with its key. */
export function identity(name: 'server' | 'self-signed' | 'other-name' | 'expired' = 'server') {
  return { cert: read(`${name}.pem`), key: read('server.key') }
}

/** Something that listens on this machine. */
export interface Listener {
  url: string
  close(): Promise<void>
}

async function listenAs(scheme: 'http' | 'https', server: Server): Promise<Listener> {
  const { port, close } = await listenOn(server)
  return { url: `${scheme}://localhost:${port}`, close }
}

/** Speaks TLS in front of a plain http server of this machine. */
export async function startTls(target: string, options: TlsOptions = {}): Promise<Listener> {
  const server = createTlsServer({ ...identity(), ...options }, (socket) => {
    pipe(socket, connect(Number(new URL(target).port), '127.0.0.1'))
  })
  server.on('tlsClientError', () => {})
  return await listenAs('https', server)
}

/** What a proxy does with a CONNECT, instead of making the connection. */
export type ConnectResponse = (socket: Socket) => void

/** A proxy, and what it was asked. */
export interface TestProxy extends Listener {
  /** The targets of CONNECT. */
  readonly seen: readonly string[]
}

/** How a proxy behaves. */
export interface ProxyOptions {
  /** `user:password`, without which it responds 407. */
  password?: string
  onConnect?: ConnectResponse
  /** The status of its responses to http requests, which it never hands on. Default 501. */
  status?: number
}

/** Starts an http proxy. Its `url` holds the password. */
export async function startProxy({ password, onConnect, status = 501 }: ProxyOptions = {}): Promise<TestProxy> {
  const seen: string[] = []
  const isKnown = (headers: IncomingHttpHeaders) =>
    !password || headers['proxy-authorization'] === `Basic ${btoa(password)}`
  const server = createHttpServer(
    ({ headers }, response) => void response.writeHead(isKnown(headers) ? status : 407).end(),
  )
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    seen.push(url)
    if (!isKnown(headers)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    if (onConnect) return onConnect(socket)
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      pipe(socket, target)
    })
    return target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'))
  })
  const { url, close } = await listenAs('http', server)
  return { url: password ? url.replace('://', `://${password}@`) : url, seen, close }
}

/** A server that does the same to each connection. */
export async function startSocketServer(onConnection: ConnectResponse, scheme: 'http' | 'https'): Promise<Listener> {
  return await listenAs(scheme, createServer(onConnection))
}

function pipe(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy())
  other.on('error', () => one.destroy())
  one.pipe(other).pipe(one)
}
