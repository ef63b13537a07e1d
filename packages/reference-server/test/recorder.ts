import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listenOn } from '../../kit/test/listen-on.ts'
import { folderForTest } from '../../kit/test/temp-folder.ts'
import { startRecorder } from '../src/node/recorder.ts'

export const KEY = 'sk_live_0123-4567.89'
export const OTHER_KEY = 'not-like-a-key-of-the-service'
export const RUN = '/v1/models/lumen%2Faurora/run'
export const COMPLETED = {
  job_id: 'job_1',
  request_id: 'req_1',
  status: 'completed',
  model_id: 'lumen/aurora',
  output: {
    type: 'image',
    items: [{ type: 'image', url: 'https://files.test/a.png?signature=s3cret', note: 'x'.repeat(200), width: 1024 }],
  },
  duration_ms: 12,
  credits_used: 7,
}

interface Received {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

type Respond = (outgoing: ServerResponse, received: Received) => void

/** A service that responds as a test says, with a recorder in front of it. */
export async function setUpRecorder(respond: Respond, { path = '', silenceMs = 60_000, host = '127.0.0.1' } = {}) {
  const received: Received[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const one = { method, url, headers, body: await text(incoming) }
    received.push(one)
    respond(outgoing, one)
  })
  const { port, close } = await listenOn(server)
  onTestFinished(close)
  const service = new URL(`http://${host}:${port}${path}`)
  const folder = folderForTest()
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const options = { service, folder, host: '127.0.0.1', port: 0, log, warn: log, silenceMs }
  const recorder = await startRecorder(options)
  onTestFinished(() => recorder.close())
  const stored = async () => {
    await recorder.close()
    return readFile(join(folder, 'exchanges.jsonl'), 'utf8')
  }
  return { received, server, url: recorder.url, recorder, folder, lines, stored }
}

export function run(url: string, body: object = { input: { prompt: 'a fox' } }, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return fetch(`${url}${RUN}`, { method: 'POST', headers, body: JSON.stringify(body), ...init })
}

export const json = (outgoing: ServerResponse, status: number, body: unknown) =>
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
