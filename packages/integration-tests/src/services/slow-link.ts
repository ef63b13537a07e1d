import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '../../../kit/test/listen-on.ts'

/** A connection to a service on this machine that loses responses. */
export interface SlowLink {
  port: number
  /** Which response from now on is lost with its connection, from 1. Default: none. */
  losesResponse: number
  /** All connections that are open carry nothing any more, and stay open, as after a failover. New ones work. */
  silence(): void
  /** The next connection that sends this text falls silent: the text does not arrive. */
  silenceAt(text: string): void
  close(): Promise<void>
}

/** Listens on a free port in front of a service. */
export async function startSlowLink(servicePort: number): Promise<SlowLink> {
  const live = new Set<Socket>()
  let silentText: string | undefined
  const server = createServer((client) => {
    const service = connect(servicePort, '127.0.0.1')
    live.add(client)
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
    client.on('data', (bytes) => {
      if (silentText !== undefined && bytes.includes(silentText)) {
        silentText = undefined
        live.delete(client)
      }
      if (live.has(client)) service.write(bytes)
    })
    service.on('data', (bytes) => {
      link.losesResponse -= 1
      if (link.losesResponse === 0) client.destroy()
      else if (live.has(client)) client.write(bytes)
    })
  })
  const { port, close } = await listenOn(server)
  const link: SlowLink = {
    port,
    losesResponse: 0,
    silence: () => live.clear(),
    silenceAt: (text) => {
      silentText = text
    },
    close,
  }
  return link
}
