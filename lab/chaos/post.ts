import { Agent, request } from 'node:http'
import { monotonicMs } from './journal.ts'

/** The outcome of a delivery: the status and the time of its response; status 0 when there was none. */
export interface Posted {
  status: number
  responseMs: number
}

/** Sends a delivery to a receiver as the service does: once, whatever its outcome. */
export type Post = (url: string, body: string) => Promise<Posted>

/** What the service waits for a response (section 6, rule 1). */
const PATIENCE_MS = 10_000

export function createPost(port: number): { post: Post; close(): void } {
  const agent = new Agent({ keepAlive: true })
  const post: Post = (url, body) => {
    const { pathname, search } = new URL(url)
    const sentAtMs = monotonicMs()
    return new Promise((resolve) => {
      const end = (status: number) => resolve({ status, responseMs: monotonicMs() - sentAtMs })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const options = { host: '127.0.0.1', port, path: pathname + search, method: 'POST', agent, headers }
      const sent = request(options, (response) => {
        response
          .resume()
          .once('end', () => end(response.statusCode ?? 0))
          .once('error', () => end(0))
      })
      sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('The response did not come in time.')))
      sent.once('error', () => end(0)).end(body)
    })
  }
  return { post, close: () => agent.destroy() }
}
