import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock } from 'modelrun'
import { createService, type ServiceOptions, type SimulatedService } from './service.ts'

/** The clock of the machine: all processes read the same time from it. */
export const machineClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  // Only `setTimeout` above makes handles.
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** The simulated service behind real sockets, in real time. */
export interface ServiceServer {
  origin: string
  service: SimulatedService
  close(): void
}

export async function serve(options: Omit<ServiceOptions, 'clock'>): Promise<ServiceServer> {
  const service = createService({ ...options, clock: machineClock })
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await responseTo(service, request))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    service,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function responseTo(service: SimulatedService, request: IncomingMessage): Promise<unknown> {
  const { method = '', url: path = '' } = request
  return await service.respond({ method, path, body: await text(request) })
}
