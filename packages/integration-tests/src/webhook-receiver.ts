import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real HTTP server on this machine that receives webhooks. */
export interface ReceivingServer {
  url: string
  close(): void
}

export async function startReceiver(listener: RequestListener): Promise<ReceivingServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
