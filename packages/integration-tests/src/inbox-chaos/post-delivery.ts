import { request } from 'node:http'
import { monotonicMs } from './journal.ts'
import type { Receiver } from './receivers.ts'

/** What came of a delivery: the status and the time of its answer, or none when the receiver died. */
export type Posted = { isAnswered: true; status: number; ackMs: number } | { isAnswered: false }

/** What the service waits for an answer (section 6, rule 1). */
const PATIENCE_MS = 10_000

/** Sends one delivery as the service does: once, whatever comes of it. */
export function postDelivery({ port, agent }: Receiver, url: string, body: string): Promise<Posted> {
  const { pathname, search } = new URL(url)
  const sentAtMs = monotonicMs()
  return new Promise((resolve) => {
    const lost = () => resolve({ isAnswered: false })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { host: '127.0.0.1', port, path: pathname + search, method: 'POST', agent, headers }
    const sent = request(options, (response) => {
      response.resume()
      response.once('end', () =>
        resolve({ isAnswered: true, status: response.statusCode ?? 0, ackMs: monotonicMs() - sentAtMs }),
      )
      response.once('error', lost)
    })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('The answer did not come in time.')))
    sent.once('error', lost)
    sent.end(body)
  })
}
