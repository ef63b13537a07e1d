/** Asks for one finished job over and over, one after another, and prints what each takes. Takes the way to ask. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createReferenceServer } from '@modelrun/reference-server'
import { getResponse, HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bareHono, JOB_BODY, JOB_PATH } from '../servers/job.ts'
import type { Way } from '../servers/ways.ts'

export interface ServerFetchResult {
  microseconds: number
  /** CPU time, which other processes disturb less. */
  cpuMicroseconds: number
}

const WARM_UP = 2_000
const MEASURE_MS = 1_000
const ORIGIN = 'https://peer.test'

type SendRequest = () => Promise<Response | undefined>

/** What is ready before the first request. */
const PREPARE: Readonly<Record<Way, () => SendRequest | Promise<SendRequest>>> = {
  'server.fetch': async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const headers = { authorization: `Bearer ${server.apiKey}` }
    const response = await server.fetch(`${server.baseUrl}/v1/models/aurora-image/run`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ input: { prompt: 'a red fox' } }),
    })
    const { job_id } = (await response.json()) as { job_id: string } // a run that succeeded
    const url = `${server.baseUrl}/v1/jobs/${job_id}`
    return () => server.fetch(url, { headers })
  },
  'bare hono': () => {
    const app = bareHono()
    return async () => app.fetch(new Request(ORIGIN + JOB_PATH))
  },
  'msw getResponse': () => {
    const handlers = mswHandlers()
    return () => getResponse(handlers, new Request(ORIGIN + JOB_PATH))
  },
  'fetch, loopback, bare hono': async () => {
    const server = createServer(getRequestListener(bareHono().fetch, { overrideGlobalObjects: false }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    return () => fetch(`http://127.0.0.1:${port}${JOB_PATH}`)
  },
  'fetch, msw setupServer': () => {
    setupServer(...mswHandlers()).listen()
    return () => fetch(ORIGIN + JOB_PATH)
  },
}

function mswHandlers() {
  return [http.get(`${ORIGIN}/v1/jobs/:id`, () => HttpResponse.json(JOB_BODY))]
}

async function read(request: SendRequest): Promise<void> {
  const response = await request()
  if (response?.status !== 200) throw new Error(`The response is ${response?.status}.`)
  await response.text()
}

const request = await PREPARE[JSON.parse(process.argv[2] ?? '') as Way]() // written by the parent
for (let count = 0; count < WARM_UP; count++) await read(request)
const cpuBefore = process.cpuUsage()
const startedAt = performance.now()
let count = 0
for (; performance.now() - startedAt < MEASURE_MS; count++) await read(request)
const wallMs = performance.now() - startedAt
const { user, system } = process.cpuUsage(cpuBefore)
const result: ServerFetchResult = {
  microseconds: (wallMs / count) * 1_000,
  cpuMicroseconds: (user + system) / count,
}
process.stdout.write(JSON.stringify(result), () => process.exit())
