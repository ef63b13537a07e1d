import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to a service on this machine whose responses come late. */
export interface SlowLink {
  port: number
  /** How late each response comes from now on, in milliseconds. */
  delayMs: number
  close(): void
}

/** Listens on a free port in front of a service. */
export async function startSlowLink(servicePort: number): Promise<SlowLink> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const service = connect(servicePort, '127.0.0.1')
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
    client.pipe(service)
    // Timers of equal or longer delays fire in order; a shorter delay is set only while nothing is under way.
    service.on('data', (bytes) => setTimeout(() => client.write(bytes), link.delayMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const link: SlowLink = {
    port,
    delayMs: 0,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return link
}
