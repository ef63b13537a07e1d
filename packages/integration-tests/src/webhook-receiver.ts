import { createServer, type RequestListener } from 'node:http'
import { listenOn } from '../../kit/test/listen-on.ts'

/** A real HTTP server on this machine that receives webhooks. */
export interface ReceivingServer {
  url: string
  close(): Promise<void>
}

export async function startReceiver(listener: RequestListener): Promise<ReceivingServer> {
  const { port, close } = await listenOn(createServer(listener))
  return { url: `http://127.0.0.1:${port}/webhooks`, close }
}
