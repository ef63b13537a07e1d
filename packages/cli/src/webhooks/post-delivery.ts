import { type DeliveryBody, type DeliveryResponse, deliver } from 'modelrun/webhooks/testing'
import { cleanText } from '../terminal/clean-text.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { CallbackUrls } from './callback-urls.ts'

/** Posts deliveries as the service does, and says what the receiver responded. */
export class DeliveryPoster {
  readonly #urls: CallbackUrls
  readonly #terminal: Terminal
  #hasAdvised = false

  constructor(urls: CallbackUrls, terminal: Terminal) {
    this.#urls = urls
    this.#terminal = terminal
  }

  /** Gives a function that posts the delivery of a job, also its duplicates. It resolves to whether the delivery was taken. */
  async prepare(body: DeliveryBody): Promise<() => Promise<boolean>> {
    const url = await this.#urls.create()
    return () => this.#post(url, body)
  }

  async #post(url: string, body: DeliveryBody): Promise<boolean> {
    const [response] = await deliver(url, { events: body })
    if (response === undefined) return false
    const { isDelivered, status, durationMs } = response
    const { job_id, status: event } = body
    const terminal = this.#terminal
    const duration_ms = Math.round(durationMs)
    terminal.event('delivery', { job_id, event, delivered: isDelivered, http_status: status, duration_ms })
    const mark = isDelivered ? terminal.style('green', '✓') : terminal.style('red', '✗')
    terminal.print(`${mark} ${cleanText(job_id)} ${cleanText(event)}: ${textOf(response)}`)
    if (status === 401) this.#advise()
    return isDelivered
  }

  #advise(): void {
    if (!this.#hasAdvised) this.#terminal.say(`HTTP 401: ${this.#urls.advice}`)
    this.#hasAdvised = true
  }
}

function textOf({ status, error, isDelivered, durationMs }: DeliveryResponse): string {
  const time = `in ${Math.round(durationMs)} ms`
  if (status === undefined) return `no response ${time}: ${cleanText(reasonOf(error))}`
  if (isDelivered) return `HTTP ${status} ${time}`
  return `HTTP ${status} ${time}. The service would not send it again: respond with 2xx within 10 s.`
}

/** The cause names the port that is closed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
