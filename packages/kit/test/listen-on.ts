import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Listens on a free port of this machine; `close` ends every connection. */
export async function listenOn(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The other side may leave at any time.
    socket.on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, so not on a pipe
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { port, close }
}
