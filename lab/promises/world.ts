import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns a number from 0 up to 1. */
export type Random = () => number

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

/** A POST that arrived, wherever. */
interface Post {
  /** Which run it was. */
  run: number
  /** Set when the service has created a job for it, which is charged. */
  jobId?: string
  /** When the response that names the job was written as a whole. */
  namedAt?: number
}

/** A service on a raw socket, for one sequence. It counts by itself. */
export interface World {
  readonly url: string
  readonly posts: readonly Post[]
  /** The jobs that were polled: the client knows their ids. */
  readonly polled: ReadonlySet<string>
  /** The names of what it did, for the report. */
  readonly acts: readonly string[]
  close(): void
}

type Act = (place: { socket: Socket; world: OpenWorld; post: Post; random: Random }) => void | Promise<void>

interface OpenWorld {
  /** Starts the paths of this world: a client of another one, whose service has died, may try a port that is used again. */
  prefix: string
  server: Server
  sockets: Set<Socket>
  jobs: Map<string, { polls: number; isCancelled: boolean }>
  posts: Post[]
  polled: Set<string>
  acts: string[]
}

const ERROR = { error: { code: 'SOME_CODE', message: 'Some message' } }
const RETRY = 'retry-after: 0\r\n'

function response(status: number, body: unknown, head = ''): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\n${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** Nothing listens any more, and what was open breaks. */
function die({ server, sockets }: OpenWorld): void {
  server.close()
  for (const socket of sockets) socket.resetAndDestroy()
}

const respond =
  (...given: Parameters<typeof response>): Act =>
  ({ socket }) =>
    void socket.write(response(...given))

let ids = 0
let worlds = 0

/** Creates the job of a run. */
function accept({ world, post }: { world: OpenWorld; post: Post }): object {
  const jobId = `job_${++ids}`
  post.jobId = jobId
  world.jobs.set(jobId, { polls: 0, isCancelled: false })
  return { job_id: jobId, request_id: `r_${ids}`, model_id: 'm', status: 'queued' }
}

/** Creates the job, and responds in a way that names it. */
const named =
  (text: (body: object) => string): Act =>
  (place) => {
    place.socket.write(text(accept(place)), () => {
      place.post.namedAt = performance.now()
    })
  }

/** Creates the job, and then something else happens. */
const lost =
  (act: Act): Act =>
  (place) => {
    accept(place)
    return act(place)
  }

const reset: Act = ({ socket }) => void socket.resetAndDestroy()
const stall: Act = () => {}
const OUTPUT = { type: 'image', items: [{ type: 'image', url: 'https://files.test/0.png' }] }

const POSTS: Record<string, Act> = {
  queued: named((body) => response(202, body)),
  completed: named((body) => response(200, { ...body, status: 'completed', output: OUTPUT, credits_used: 1 })),
  'after 103': named((body) => `HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${response(202, body)}`),
  'too long': named((body) => response(202, body).replace(/length: (\d+)/, 'length: 9$1')),
  '500 with the job': named((body) => response(500, { ...ERROR, ...body })),
  '429 with the job': named((body) => response(429, { ...ERROR, ...body }, RETRY)),
  'unknown status': named((body) => response(202, { ...body, status: 'dreaming' })),
  'reset before': reset,
  'dies before': ({ world }) => die(world),
  'reset after': lost(reset),
  'dies after': lost(({ world }) => die(world)),
  'stalls before': stall,
  'stalls after': lost(stall),
  cut: (place) => {
    const whole = response(202, accept(place))
    place.socket.write(whole.slice(0, Math.floor(place.random() * whole.length)), () => place.socket.resetAndDestroy())
  },
  'no id': lost(respond(202, { status: 'queued' })),
  'number as id': lost(respond(202, { job_id: 7, status: 'queued' })),
  'web page': lost(respond(200, '<html>')),
  nothing: lost(respond(204, '')),
  garbage: lost(({ socket }) => void socket.end('NOT HTTP\r\n\r\n')),
  'redirect after': lost(respond(302, '', 'location: /elsewhere\r\n')),
  'Varnish after': lost(respond(503, '<html>', RETRY)),
  '502 after': lost(respond(502, '<html>')),
  '408 after': lost(respond(408, ERROR)),
  redirect: respond(308, '', 'location: /v1/models/m/run/\r\n'),
  '503': respond(503, ERROR, RETRY),
  '429': respond(429, ERROR, RETRY),
  '400': respond(400, ERROR),
  '402': respond(402, ERROR),
  '421': respond(421, ERROR),
}

const OTHERS: Record<string, Act> = { '500': respond(500, ERROR), reset, 'web page': respond(200, '<html>'), stall }

/** Responds to a request for a job. */
function jobResponse(method: string, job: { polls: number; isCancelled: boolean }, random: Random): string {
  const hasEnded = job.polls > 2
  if (method === 'DELETE') {
    if (!hasEnded) job.isCancelled = true
    return random() < 0.5
      ? response(204, '')
      : response(hasEnded ? 409 : 200, hasEnded ? ERROR : { data: { status: 'cancelled' } })
  }
  job.polls++
  if (job.isCancelled) return response(200, { data: { status: 'cancelled' } })
  return response(200, { data: job.polls > 2 ? { status: 'succeeded', output: OUTPUT } : { status: 'processing' } })
}

interface Incoming {
  socket: Socket
  method: string
  path: string
  body: string
}

async function handle(world: OpenWorld, random: Random, { socket, method, path, body }: Incoming): Promise<void> {
  if (random() < 0.2) await sleep(random() * 30)
  if (!path.startsWith(`${world.prefix}/`)) return void socket.resetAndDestroy()
  if (path.includes('/run')) {
    const post: Post = { run: Number(/"n":(\d+)/.exec(body)?.[1] ?? -1) }
    world.posts.push(post)
    const name = random() < 0.4 ? 'queued' : pick(random, Object.keys(POSTS))
    world.acts.push(name)
    return POSTS[name]?.({ socket, world, post, random })
  }
  const jobId = path.split('/').at(-1) ?? ''
  const job = world.jobs.get(jobId)
  if (job === undefined) return void socket.write(response(404, ERROR))
  world.polled.add(jobId)
  const name = random() < 0.1 ? pick(random, Object.keys(OTHERS)) : undefined
  if (name === undefined) return void socket.write(jobResponse(method, job, random))
  return OTHERS[name]?.({ socket, world, post: { run: -1 }, random })
}

/** Opens a world, which listens until it dies or is closed. */
export async function openWorld(random: Random): Promise<World> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const [head = '', ...rest] = received.split('\r\n\r\n')
      const body = rest.join('\r\n\r\n')
      if (rest.length === 0 || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
      received = ''
      const [method = '', path = ''] = head.split(' ')
      void handle(world, random, { socket, method, path, body })
    })
  })
  const prefix = `/${++worlds}`
  const world: OpenWorld = { prefix, server, sockets, jobs: new Map(), posts: [], polled: new Set(), acts: [] }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // An address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
  return { url, posts: world.posts, polled: world.polled, acts: world.acts, close: () => die(world) }
}
