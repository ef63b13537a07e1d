import { Agent, request } from 'node:http'
import { monotonicMs } from './journal.ts'

interface Answer {
  isAnswered: true
  status: number
  ackMs: number
}

/** What came of a delivery: the status and the time of its answer, or none when the receiver died. */
export type Posted = Answer | { isAnswered: false }

/** A process that takes deliveries. */
export interface Receiver {
  /** Deliveries that it has not answered yet. */
  readonly unanswered: number
  /** Sends one delivery as the service does: once, whatever comes of it. */
  post(url: string, body: string): Promise<Posted>
  close(): void
}

/** What the service waits for an answer (section 6, rule 1). */
const PATIENCE_MS = 10_000

export function createReceiver(port: number, onAnswer: () => void): Receiver {
  const agent = new Agent({ keepAlive: true })
  let unanswered = 0
  return {
    get unanswered() {
      return unanswered
    },
    post: async (url, body) => {
      unanswered++
      const posted = await post({ agent, port, url }, body)
      unanswered--
      onAnswer()
      return posted
    },
    close: () => agent.destroy(),
  }
}

interface Address {
  agent: Agent
  port: number
  /** As the service knows it: its host is not where the receiver is. */
  url: string
}

function post({ agent, port, url }: Address, body: string): Promise<Posted> {
  const { pathname, search } = new URL(url)
  const sentAtMs = monotonicMs()
  return new Promise((resolve) => {
    const lost = () => resolve({ isAnswered: false })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { host: '127.0.0.1', port, path: pathname + search, method: 'POST', agent, headers }
    const sent = request(options, (response) => {
      const answered = () =>
        resolve({ isAnswered: true, status: response.statusCode ?? 0, ackMs: monotonicMs() - sentAtMs })
      response.resume().once('end', answered).once('error', lost)
    })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('The answer did not come in time.')))
    sent.once('error', lost).end(body)
  })
}

export function isAccepted(posted: Posted): posted is Answer {
  return posted.isAnswered && posted.status < 300
}
