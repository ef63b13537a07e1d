import type { DeliveryEntry, DeliveryExchange, RequestEntry, RequestExchange, StateExchange } from '../data/wire.ts'
import { count, formatDuration, formatExact, formatNumber } from '../text/format.ts'
import type { Mark } from './layout.ts'

const ROUTE_NAMES: Readonly<Record<string, string>> = {
  runModel: 'run',
  getJob: 'job',
  cancelJob: 'job',
  getFile: 'file',
}

/** What goes out: `POST run`, `webhook`. */
export function sentLabel(exchange: RequestExchange | DeliveryExchange, folded = 0): string {
  const again = exchange.attempt > 1 ? ` · attempt ${exchange.attempt}` : ''
  // The service does not try again: what comes again is a duplicate.
  if (exchange.kind === 'delivery') return `POST webhook${again.replace('attempt', 'duplicate')}`
  const more = folded > 0 ? ` · ${folded} more` : ''
  return `${exchange.method} ${ROUTE_NAMES[exchange.route ?? ''] ?? exchange.path}${again}${more}`
}

/** The same where there is little room. */
export function shortSentLabel(exchange: RequestExchange | DeliveryExchange, folded = 0): string {
  return sentLabel(exchange, folded)
    .replace('POST webhook', 'webhook')
    .replace(/ · (?:attempt|duplicate) (\d+)/, ' #$1')
    .replace(/ · (\d+) more/, ' +$1')
}

/** What comes back: `202 processing`, `no response`, `timeout`. */
export function responseLabel(exchange: RequestExchange | DeliveryExchange): string {
  if (exchange.kind === 'delivery') {
    const outcome = exchange.outcome.replace('_', ' ')
    return exchange.status === undefined ? outcome : `${exchange.status} ${outcome}`
  }
  const { status, job_status, code, fault } = exchange
  if (status === undefined) return 'no response'
  return [status, job_status ?? (fault === undefined ? code : undefined)].filter(Boolean).join(' ')
}

export function isBad(exchange: RequestEntry | DeliveryEntry): boolean {
  if (exchange.kind === 'delivery') return exchange.outcome !== 'delivered'
  return exchange.status === undefined || exchange.status >= 400
}

/** What a change of state does to the credits, where there is little room. */
export function creditLabel(exchange: StateExchange): string | undefined {
  const change = creditChange(exchange)
  return change && `${formatNumber(exchange.credits)} ${change}`
}

function creditChange({ from, to, is_charged }: StateExchange): 'reserved' | 'charged' | 'released' | undefined {
  if (from === undefined) return 'reserved'
  if (to === 'succeeded' || is_charged) return 'charged'
  return to === 'processing' ? undefined : 'released'
}

/** A mark in a sentence, for screen readers. */
export function spokenLabel(mark: Mark): string {
  const { exchange, afterMs } = mark
  const at = `after ${formatExact(afterMs)}`
  if (exchange.kind === 'job') {
    const change = creditChange(exchange)
    return [`Job ${exchange.to} ${at}`, change && `${count(exchange.credits, 'credit')} ${change}`]
      .filter(Boolean)
      .join(', ')
  }
  if (mark.kind === 'send' && !mark.isWhole) return `${sentLabel(exchange)} ${at}`
  const took = exchange.duration_ms > 0 ? ` in ${formatDuration(exchange.duration_ms)}` : ''
  const fault = exchange.kind === 'request' && exchange.fault ? `, fault ${exchange.fault}` : ''
  const start = mark.kind === 'respond' ? 'Response to ' : ''
  return `${start}${sentLabel(exchange)} ${at}: ${responseLabel(exchange)}${took}${fault}`
}
