import { isFault, type ResponseOrFault } from '../faults/fault.ts'
import type { Service } from '../service/service.ts'

/** Names the HTTP request; `request_id` in the body of a run is another id, that of the job at the provider. */
const REQUEST_ID_HEADER = 'x-request-id'

/**
 * Gives a response the id of its request, `http_1` and so on: the assumption `requestIdHeader`. Control requests have
 * none, so that a test which steers the server over HTTP sees the same ids as one which does so in process.
 */
export function addRequestId(service: Service, answer: ResponseOrFault): ResponseOrFault {
  if (service.options.assumptions.requestIdHeader === 'none') return answer
  const id = `http_${service.nextRequestNumber()}`
  if (!isFault(answer)) return identified(answer, id)
  return 'open' in answer ? { ...answer, open: () => identified(answer.open(), id) } : answer
}

function identified(response: Response, id: string): Response {
  response.headers.set(REQUEST_ID_HEADER, id)
  return response
}
