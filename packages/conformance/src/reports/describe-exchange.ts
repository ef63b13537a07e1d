import type { Exchange } from '../exchange.ts'

const MAX_BODY = 600

/** An exchange on a few lines, for people. */
export function describeExchange({ id, direction, request, response, failure, durationMs }: Exchange): string {
  const arrow = direction === 'sent' ? '>' : '<'
  const outcome = response === undefined ? (failure ?? 'no response') : `${response.status}`
  const lines = [
    `#${id} ${arrow} ${request.method} ${request.url}`,
    ...bodyLine(request.body),
    `   ${outcome} after ${Math.round(durationMs)} ms`,
    ...bodyLine(response?.body),
  ]
  return lines.join('\n')
}

function bodyLine(body: string | undefined): string[] {
  if (body === undefined || body === '') return []
  return [`   ${body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}...` : body}`]
}
