import { fixtures } from '@modelrun/contract/fixtures'
import type { SocketAction } from './hostile-server.ts'
import { flood, hangUp, json, partial, raw, reset, response, silence } from './server-responses.ts'

/** A service that does something bad to `GET /v1/models`, and what the client must make of it. */
export interface ReadFault {
  name: string
  responses: readonly SocketAction[]
  /** How many requests the service gets. */
  gets: number
  /** `success`, or the name of the error. */
  outcome: string
  isRetryable?: boolean
}

type Expected = Omit<ReadFault, 'name' | 'responses'>

const fault = (name: string, responses: readonly SocketAction[], expected: Expected): ReadFault => ({
  name,
  responses,
  ...expected,
})

const ERROR = { error: { code: 'SOME_CODE', message: 'Some message' } }
const fine = json(200, fixtures.models.listEmpty.body)

const atFirst = (bad: SocketAction) => [bad, fine]
const twice: Expected = { gets: 2, outcome: 'success' }
const inVain = (outcome: string): Expected => ({ gets: 3, outcome, isRetryable: true })
const atOnce = (outcome: string, isRetryable = false): Expected => ({ gets: 1, outcome, isRetryable })

/** A fault for each status, which the client makes this error of. */
function statuses(errors: Readonly<Record<number, string>>, expect: (outcome: string) => Expected): ReadFault[] {
  return Object.entries(errors).map(([status, error]) =>
    fault(`responds with ${status}`, [json(Number(status), ERROR)], expect(error)),
  )
}

export const READ_FAULTS: readonly ReadFault[] = [
  fault('resets at first', atFirst(reset), twice),
  fault('hangs up at first', atFirst(hangUp), twice),
  fault('never responds at first', atFirst(silence), twice),
  fault('stalls in the body at first', atFirst(partial(200, '{"models":', 'stall')), twice),
  fault('cuts its body at first', atFirst(partial(200, '{"models":', 'end')), twice),
  fault(
    'responds with gzip that is broken at first',
    atFirst(response(200, 'not gzip', [['content-encoding', 'gzip']])),
    twice,
  ),
  fault('responds with 429 at first', atFirst(json(429, ERROR, [['retry-after', '0']])), twice),
  fault('responds with 503 at first', atFirst(json(503, ERROR)), twice),

  fault('resets again and again', [reset], inVain('ConnectionError')),
  fault('never responds', [silence], inVain('AttemptTimeoutError')),
  fault('does not speak HTTP', [raw('SSH-2.0-OpenSSH_9.6\r\n', 'end')], inVain('ConnectionError')),
  fault('cuts its body again and again', [partial(200, '{"models":', 'reset')], inVain('InvalidResponseError')),
  fault('floods the client', [flood(200, 11_000_000)], atOnce('InvalidResponseError')),
  ...statuses({ 408: 'ApiError', 429: 'RateLimitError' }, inVain),
  ...statuses({ 500: 'ServerError', 502: 'ServerError', 503: 'ServerError', 504: 'ServerError' }, inVain),
  ...statuses({ 400: 'InvalidRequestError', 401: 'AuthenticationError', 403: 'PermissionDeniedError' }, atOnce),
  ...statuses({ 404: 'NotFoundError', 418: 'ApiError', 501: 'ServerError', 522: 'ServerError' }, atOnce),
  fault(
    'responds with 503 and Retry-After: a day',
    [json(503, ERROR, [['retry-after', '86400']])],
    atOnce('ServerError', true),
  ),
  fault('responds with 200 with a web page', [response(200, '<html>')], atOnce('InvalidResponseError', true)),
  fault('responds with an empty 200', [response(200)], atOnce('InvalidResponseError', true)),
  fault('responds with JSON of another shape', [json(200, { items: [] })], atOnce('InvalidResponseError')),
]
