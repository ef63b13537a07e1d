import type { Socket } from 'node:net'
import type { SocketAction } from './hostile-server.ts'

/** Headers in the order in which they are sent; the same name may come twice. */
type HeaderList = readonly (readonly [string, string])[]

/** A response as a well-behaved server sends it. */
export function response(status: number, body: string | Buffer = '', headers: HeaderList = []): SocketAction {
  return (socket) => {
    const length = Buffer.byteLength(body)
    socket.write(head(status, [...headers, ['content-length', String(length)]]))
    socket.write(body)
  }
}

/** A JSON response as a well-behaved server sends it. */
export function json(status: number, body: unknown, headers: HeaderList = []): SocketAction {
  return response(status, JSON.stringify(body), [['content-type', 'application/json'], ...headers])
}

/** Resets the connection after it got the whole request. */
export const reset: SocketAction = (socket) => void socket.resetAndDestroy()

/** Ends the connection without a word. */
export const hangUp: SocketAction = (socket) => void socket.end()

/** What happens after the last byte. `open`: nothing. `stall`: nothing either, and the client is to wait in vain. */
type Ending = 'end' | 'reset' | 'stall' | 'open'

/** Never says anything. */
export const silence: SocketAction = (socket) => end(socket, 'stall')

/** Sends these bytes as they are, then does what `then` says. */
export function raw(bytes: string | Buffer, then: Ending): SocketAction {
  return (socket) => void socket.write(bytes, () => void whenRead().then(() => end(socket, then)))
}

/** Turns of the event loop in which a client of this process reads what was written. */
const TURNS = 50

/** Resolves when the client has read what was written: a reset, for one, would overtake it. */
async function whenRead(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function end(socket: Socket, then: Ending): void {
  if (then === 'end') socket.end()
  else if (then === 'reset') socket.resetAndDestroy()
  else if (then === 'stall') socket.emit('stall')
}

/** Promises a body of 1 000 bytes and sends only this. */
export function partial(status: number, body: string, then: Ending): SocketAction {
  return raw(`${head(status, [['content-length', '1000']])}${body}`, then)
}

/** Sends a body in pieces of four characters; after `stallAt` of them, the client is to wait in vain. */
export function drip(status: number, body: string, stallAt?: number): SocketAction {
  return (socket) => {
    socket.write(head(status, [['content-length', String(Buffer.byteLength(body))]]))
    let sent = 0
    const timer = setInterval(() => {
      socket.write(body.slice(sent, sent + 4))
      sent += 4
      if (sent === stallAt) socket.emit('stall')
      if (sent >= body.length || socket.destroyed) clearInterval(timer)
    }, 1)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Sends a body that is far larger than any response of the service, as fast as the client takes it. */
export function flood(status: number, byteCount: number): SocketAction {
  return (socket) => {
    socket.write(head(status, [['content-length', String(byteCount)]]))
    const chunk = Buffer.alloc(65_536, 'x')
    let left = byteCount
    const pump = () => {
      while (left > 0 && !socket.destroyed) {
        left -= chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', pump)
    pump()
  }
}

/** The head of a response. */
export function head(status: number, headers: HeaderList): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Some Reason\r\n${lines.join('')}\r\n`
}
