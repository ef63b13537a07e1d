/** Asks one address over and over, on many connections at once, and prints how many responses a second came. */
import { connect } from 'node:net'

export interface HttpLoadJob {
  port: number
  path: string
  headers: Readonly<Record<string, string>>
  connections: number
  /** Before anything is counted. */
  warmUpMs: number
  durationMs: number
}

export interface HttpLoadResult {
  responsesPerSecond: number
  /** Responses that were not 200. */
  rejected: number
}

const job = JSON.parse(process.argv[2] ?? '') as HttpLoadJob // written by the parent
const lines = Object.entries({ host: `127.0.0.1:${job.port}`, ...job.headers }).map(
  ([name, value]) => `${name}: ${value}`,
)
const request = `GET ${job.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`

let responses = 0
let rejected = 0

// Bare sockets: a client with more comfort would be slower than the servers.
for (let index = 0; index < job.connections; index++) {
  const socket = connect(job.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').setNoDelay(true)
  socket.on('connect', () => socket.write(request))
  socket.on('data', (chunk: string) => {
    received += chunk
    if (received.length < responseLength(received)) return
    responses++
    if (!received.startsWith('HTTP/1.1 200')) rejected++
    received = ''
    socket.write(request)
  })
}

/** `Infinity`: not known yet. */
function responseLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return Number.POSITIVE_INFINITY
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1]
  if (length !== undefined) return headEnd + 4 + Number(length)
  const lastChunk = text.indexOf('\r\n0\r\n\r\n')
  return lastChunk < 0 ? Number.POSITIVE_INFINITY : lastChunk + 7
}

setTimeout(() => {
  const before = responses
  const startedAt = performance.now()
  setTimeout(() => {
    const responsesPerSecond = ((responses - before) / (performance.now() - startedAt)) * 1_000
    const result: HttpLoadResult = { responsesPerSecond, rejected }
    process.stdout.write(JSON.stringify(result), () => process.exit())
  }, job.durationMs)
}, job.warmUpMs)
