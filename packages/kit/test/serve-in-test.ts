import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOn } from './listen-on.ts'

/** Serves at the origin that it returns until its test is over. */
export async function serveInTest(listener: RequestListener): Promise<string> {
  const { port, close } = await listenOn(createServer(listener))
  onTestFinished(close)
  return `http://127.0.0.1:${port}`
}
