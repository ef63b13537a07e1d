import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Act, errorAct, jobAct, modelAct, type Network, okRun, type RunRequest, runAct } from './acts.ts'
import { ServiceJob } from './service-job.ts'

/** A run request that came whole, and what was sent back. */
export interface Post {
  key: string
  at: number
  job?: ServiceJob
  act?: Act
  /** The part of the body that was sent. */
  sent: string
  /** When the last byte was sent; undefined when nothing was, or the client had left. */
  sentAt?: number
}

/** What the service does in one cell of the matrix, and what it saw there. */
export class Cell {
  readonly posts: Post[] = []
  readonly jobs: ServiceJob[] = []
  readonly network: Network
  readonly path: string
  /** What GET of the model gives. */
  model: Act = modelAct
  polls = 0
  /** Everything that was sent back, in order. */
  readonly sent: Act[] = []
  /** Takes the deliveries of the service, where a receiver is plugged in. */
  receive: ((url: string, init: RequestInit) => Promise<unknown>) | undefined
  onRequest: (method: string) => void = () => {}
  #isHealed = false

  constructor(path: string, network: Network) {
    this.path = path
    this.network = network
  }

  /** From now on the service works as it should. */
  heal(): void {
    this.#isHealed = true
    for (const job of this.jobs) job.heal()
  }

  get isHealed(): boolean {
    return this.#isHealed
  }

  /** Decides on a run request, and creates its job where the network lets it arrive. */
  async run(body: RunRequest): Promise<Post> {
    const key = String(body.input?.prompt)
    const post: Post = { key, at: performance.now(), sent: '' }
    const count = this.posts.push(post)
    const earlier = this.posts.slice(0, count - 1).filter((other) => other.key === key).length
    const acts = this.network.run ?? [okRun]
    const act = this.#isHealed ? okRun : (acts[Math.min(earlier, acts.length - 1)] ?? okRun)
    const create = () => {
      post.job = this.#createJob(key, body)
      return post.job
    }
    post.act = await runAct(act, { create, body })
    this.sent.push(post.act)
    return post
  }

  poll(id: string): Act {
    const job = this.jobs.find((each) => each.id === id)
    const acts = this.network.polls
    if (!job) return errorAct(404, 'NOT_FOUND')
    const act = this.#isHealed ? undefined : acts?.[Math.min(this.polls++, acts.length - 1)]
    return act?.(job) ?? jobAct(job)
  }

  cancel(id: string): Act {
    const job = this.jobs.find((each) => each.id === id)
    if (!job) return errorAct(404, 'NOT_FOUND')
    return job.cancel() ? jobAct(job) : errorAct(409, 'CONFLICT')
  }

  #createJob(key: string, { webhook_url: url }: RunRequest): ServiceJob {
    const { end = 'succeeded', endMs = 40, deliveries = 1, hasNumberIds = false } = this.network
    const number = this.jobs.length + 1
    const id = hasNumberIds ? String(70_000_001 + number) : `job_${this.path.slice(1)}_${number}`
    const job = new ServiceJob(id, key, { end, endMs })
    if (this.#isHealed) job.heal()
    this.jobs.push(job)
    if (url !== undefined) setTimeout(() => this.#deliver(job, url, deliveries), endMs + 5).unref()
    return job
  }

  #deliver(job: ServiceJob, url: string, times: number): void {
    const { id: job_id, status, output } = job
    if (status !== 'succeeded' && status !== 'failed') return
    const end = status === 'failed' ? { error: PROVIDER_FAILURE } : { output, credits_used: 4, completed_at: NOW }
    const init = { method: 'POST', body: JSON.stringify({ job_id, status, ...end }), headers: JSON_TYPE }
    for (let left = times; left > 0; left--) this.receive?.(url, init).catch(() => {})
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const NOW = '2026-01-01T00:00:00Z'
const PROVIDER_FAILURE = { code: 'PROVIDER_FAILURE', message: 'The model failed.' }

export interface Service {
  url: string
  /** A port of this machine where nothing listens. */
  closedUrl: string
  open(network: Network): Cell
  close(): Promise<void>
}

/** Starts a service on a socket. Each cell of the matrix has a path of its own on it. */
export async function startService(): Promise<Service> {
  const cells = new Map<string, Cell>()
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const [, path = '', rest = ''] = /^(\/c\d+)(\/.*)$/.exec(request.url ?? '') ?? []
    const cell = cells.get(path)
    if (cell) await respond(cell, rest, { request, response }).catch(() => response.destroy())
    else response.writeHead(500).end()
  })
  server.on('clientError', (_, socket) => socket.destroy())
  const url = await listen(server)
  const closed = createServer()
  const closedUrl = await listen(closed)
  closed.close()
  return {
    url,
    closedUrl,
    open: (network) => {
      const cell = new Cell(`/c${cells.size + 1}`, network)
      cells.set(cell.path, cell)
      return cell
    },
    close: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

async function respond(cell: Cell, path: string, exchange: Exchange): Promise<void> {
  const { method = '' } = exchange.request
  const body = await text(exchange.request)
  cell.onRequest(method)
  const jobId = decodeURIComponent(/\/v1\/jobs\/(.+)$/.exec(path)?.[1] ?? '')
  if (method === 'POST') {
    const post = await cell.run(JSON.parse(body) as RunRequest)
    if (post.act) await perform(post.act, exchange, post)
    return
  }
  const act = method === 'DELETE' ? cell.cancel(jobId) : path.includes('/jobs/') ? cell.poll(jobId) : cell.model
  cell.sent.push(act)
  await perform(act, exchange)
}

/** Sends what an act says over the socket, and notes what the client could receive. */
async function perform(act: Act, { request, response }: Exchange, post?: Post): Promise<void> {
  const { status, type = 'application/json', headers = {}, body = '', cutAt, delayMs = 0, ending } = act
  if (delayMs > 0) await sleep(delayMs)
  const { socket } = request
  if (status !== undefined) {
    const part = body.slice(0, cutAt)
    const isLeft = socket.destroyed
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers })
    response.flushHeaders()
    response.write(part)
    if (post && !isLeft) Object.assign(post, { sent: part, sentAt: performance.now() })
    if (ending === undefined) response.end()
  }
  // The client must have got the bytes before the reset, which would overtake them.
  if (ending !== undefined && status !== undefined) await sleep(20)
  if (ending === 'reset') socket.resetAndDestroy()
  if (ending === 'close') socket.destroy()
}
