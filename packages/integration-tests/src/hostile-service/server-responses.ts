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

/** Never says anything. */
export const silence: SocketAction = () => {}

/** Sends these bytes as they are, then does what `then` says. */
export function raw(bytes: string, then: 'end' | 'reset' | 'stall' = 'stall'): SocketAction {
  return (socket) => {
    socket.write(bytes, () => {
      if (then === 'end') socket.end()
      // The client must have got the bytes before the reset, which would overtake them.
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  }
}

/** Promises a body of 1 000 bytes and sends only this. */
export function partial(status: number, body: string, then: 'end' | 'reset' | 'stall'): SocketAction {
  return raw(`${head(status, [['content-length', '1000']])}${body}`, then)
}

/** Sends a body in pieces of four characters. */
export function drip(status: number, body: string, everyMs: number): SocketAction {
  return (socket) => {
    socket.write(head(status, [['content-length', String(Buffer.byteLength(body))]]))
    let sent = 0
    const timer = setInterval(() => {
      socket.write(body.slice(sent, sent + 4))
      sent += 4
      if (sent >= body.length || socket.destroyed) clearInterval(timer)
    }, everyMs)
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
