import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ModelRunProxy } from 'modelrun/proxy'
import { listenOn } from '../../../../kit/test/listen-on.ts'
import { bundleScript, PAGE } from '../../browser/bundle-script.ts'

/** A website whose server has a proxy. */
export interface Site {
  /** With a port, and 127.0.0.1 as its host. */
  origin: string
  /** Breaks the connection of the browser once the next run has reached the proxy. */
  breakNextRun(): void
  /** How many connections were broken. */
  breaks(): number
  close(): Promise<void>
}

/** The script of a file in this folder. */
export const scriptOf = (name: string) => bundleScript({ entryPoints: [fileURLToPath(new URL(name, import.meta.url))] })

/** Serves the page, with a session in a cookie, and the proxy; behind a relay that can break connections. */
export async function openSite(
  scripts: ReadonlyMap<string, string>,
  proxy: ReturnType<ModelRunProxy['node']>,
): Promise<Site> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') relay.runArrived()
    if (request.url?.startsWith('/api/modelrun/')) void proxy(request, response)
    else respondWithPage(scripts, request, response)
  })
  const listening = await listenOn(server)
  const relay = createRelay(listening.port)
  const { port, close: closeRelay } = await listenOn(relay.server)
  return {
    origin: `http://127.0.0.1:${port}`,
    breakNextRun: relay.breakNextRun,
    breaks: relay.breaks,
    close: async () => {
      await closeRelay()
      await listening.close()
    },
  }
}

function respondWithPage(
  scripts: ReadonlyMap<string, string>,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const script = scripts.get(url)
  if (script !== undefined) response.setHeader('content-type', 'text/javascript').end(script)
  else
    response
      .setHeader('content-type', 'text/html')
      .setHeader('set-cookie', 'session=anna; HttpOnly; SameSite=Lax')
      .end(PAGE)
}

/** Passes bytes on, as a load balancer does. */
function createRelay(port: number) {
  let isBreaking = false
  let breaks = 0
  let breakRun = () => {}
  const server = createTcpServer((browser) => {
    const target = connect(port, '127.0.0.1')
    for (const socket of [browser, target]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        browser.destroy()
        target.destroy()
      })
    }
    browser.on('data', (bytes) => {
      if (isBreaking && /^POST /.test(bytes.toString('latin1'))) breakRun = () => browser.destroy()
      target.write(bytes)
    })
    target.on('data', (bytes) => browser.write(bytes))
  })
  const breakNextRun = () => {
    isBreaking = true
  }
  const runArrived = () => {
    if (!isBreaking) return
    isBreaking = false
    breaks += 1
    breakRun()
  }
  return { server, breakNextRun, runArrived, breaks: () => breaks }
}
