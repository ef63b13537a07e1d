import { fixtures } from '@modelrun/contract/fixtures'
import { answer, flood, hangUp, json, partial, raw, reset, silence } from './answers.ts'
import type { Answer } from './hostile-server.ts'

/** A service that does something bad to `GET /v1/models`, and what the client must make of it. */
export interface ReadFault {
  name: string
  answers: readonly Answer[]
  /** How many requests the service gets. */
  gets: number
  /** `success`, or the name of the error. */
  outcome: string
  isRetryable?: boolean
  /** True when the client's time limit is what ends an attempt: then that is short. */
  isSlow?: boolean
}

type Expected = Omit<ReadFault, 'name' | 'answers'>

const fault = (name: string, answers: readonly Answer[], expected: Expected): ReadFault => ({
  name,
  answers,
  ...expected,
})

const ERROR = { error: { code: 'SOME_CODE', message: 'Some message' } }
const fine = json(200, fixtures.models.listEmpty.body)

const atFirst = (bad: Answer) => [bad, fine]
const twice: Expected = { gets: 2, outcome: 'success' }
const inVain = (outcome: string): Expected => ({ gets: 3, outcome, isRetryable: true })
const atOnce = (outcome: string, isRetryable = false): Expected => ({ gets: 1, outcome, isRetryable })

export const READ_FAULTS: readonly ReadFault[] = [
  fault('resets at first', atFirst(reset), twice),
  fault('hangs up at first', atFirst(hangUp), twice),
  fault('never answers at first', atFirst(silence), { ...twice, isSlow: true }),
  fault('stalls in the body at first', atFirst(partial(200, '{"models":', 'stall')), { ...twice, isSlow: true }),
  fault('cuts its body at first', atFirst(partial(200, '{"models":', 'end')), twice),
  fault(
    'answers gzip that is broken at first',
    atFirst(answer(200, 'not gzip', [['content-encoding', 'gzip']])),
    twice,
  ),
  fault('answers 429 at first', atFirst(json(429, ERROR, [['retry-after', '0']])), twice),
  fault('answers 503 at first', atFirst(json(503, ERROR)), twice),

  fault('resets again and again', [reset], inVain('ConnectionError')),
  fault('never answers', [silence], { ...inVain('AttemptTimeoutError'), isSlow: true }),
  fault('does not speak HTTP', [raw('SSH-2.0-OpenSSH_9.6\r\n', 'end')], inVain('ConnectionError')),
  fault('cuts its body again and again', [partial(200, '{"models":', 'reset')], inVain('InvalidResponseError')),
  fault('floods the client', [flood(200, 11_000_000)], inVain('InvalidResponseError')),
  fault('answers 408', [json(408, ERROR)], inVain('ApiError')),
  fault('answers 429', [json(429, ERROR)], inVain('RateLimitError')),
  fault('answers 500', [json(500, ERROR)], inVain('ServerError')),
  fault('answers 502', [json(502, ERROR)], inVain('ServerError')),
  fault('answers 503', [json(503, ERROR)], inVain('ServerError')),
  fault('answers 504', [json(504, ERROR)], inVain('ServerError')),

  fault('answers 400', [json(400, ERROR)], atOnce('InvalidRequestError')),
  fault('answers 401 (section 7)', [json(401, ERROR)], atOnce('AuthenticationError')),
  fault('answers 403 (section 7)', [json(403, ERROR)], atOnce('PermissionDeniedError')),
  fault('answers 404', [json(404, ERROR)], atOnce('NotFoundError')),
  fault('answers 418', [json(418, ERROR)], atOnce('ApiError')),
  fault('answers 501', [json(501, ERROR)], atOnce('ServerError')),
  fault('answers 522', [json(522, ERROR)], atOnce('ServerError')),
  fault(
    'answers 503 with Retry-After: a day',
    [json(503, ERROR, [['retry-after', '86400']])],
    atOnce('ServerError', true),
  ),
  fault('answers 200 with a web page', [answer(200, '<html>')], atOnce('InvalidResponseError', true)),
  fault('answers 200 with nothing', [answer(200)], atOnce('InvalidResponseError', true)),
  fault('answers JSON of another shape', [json(200, { items: [] })], atOnce('InvalidResponseError')),
]
