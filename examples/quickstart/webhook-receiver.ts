import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Inbox } from 'modelrun/webhooks'

/** A local HTTP server that hands every webhook delivery to the inbox. */
export async function startReceiver(inbox: Inbox): Promise<{ url: string; close(): void }> {
  const receiver = createServer(inbox.node())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an AddressInfo; a string is the address of a pipe.
  const { port } = receiver.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: () => {
      receiver.close()
      receiver.closeAllConnections()
    },
  }
}
