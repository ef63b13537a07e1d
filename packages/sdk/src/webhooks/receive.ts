import type { WebhookBody } from './webhook-body.ts'

/** A delivery as an edge of the inbox hands it over: a web-standard request, one of Node's, or an event of Lambda. */
export interface Delivery {
  /** HTTP method, in capitals. */
  method: string
  /** Where it was sent: an absolute address, or a path with its query. The query may hold the token. */
  url?: string | undefined
  /**
   * Reads the body within limits of size and time. Called once at most, after method and token were found good, so that
   * a stranger costs no reading.
   *
   * @throws WebhookParseError whose `status` is the answer: 400 or 408
   */
  readBody(): Promise<WebhookBody>
  /** Keeps the runtime alive until the work is done, where the edge can: the work that follows the answer goes in here. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/** Answers a delivery. Never rejects. */
export type Receive = (delivery: Delivery) => Promise<Response>
