import { type DeliveryBody, type DeliveryResponse, deliver } from 'modelrun/webhooks/testing'
import { cleanText } from '../terminal/clean-text.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Posts a delivery as the service does, and says what the receiver responded. Resolves to whether it was taken. */
export async function postDelivery(url: string, body: DeliveryBody, terminal: Terminal): Promise<boolean> {
  const [response] = await deliver(url, { events: body })
  if (response === undefined) return false
  const { isDelivered, status, durationMs } = response
  const { job_id, status: event } = body
  terminal.event('delivery', {
    job_id,
    event,
    delivered: isDelivered,
    http_status: status,
    duration_ms: Math.round(durationMs),
  })
  const mark = isDelivered ? terminal.style('green', '✓') : terminal.style('red', '✗')
  terminal.print(
    `${mark} ${cleanText(job_id)} ${cleanText(event)}: ${textOf(response)} in ${Math.round(durationMs)} ms`,
  )
  return isDelivered
}

function textOf({ status, error, isDelivered }: DeliveryResponse): string {
  if (status === undefined) return `no response: ${cleanText(reasonOf(error))}`
  return isDelivered
    ? `HTTP ${status}`
    : `HTTP ${status}. The service would not send it again: respond with 2xx within 10 s`
}

/** The cause names the port that is closed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
