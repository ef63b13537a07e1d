import { gzipSync } from 'node:zlib'
import { fixtures } from '@modelrun/contract/fixtures'
import { answer, drip, flood, hangUp, json, partial, raw, reset, silence } from './answers.ts'
import type { Script } from './hostile-server.ts'

/** What the client must make of a fault. */
interface Expectation {
  /** How many runs the service gets. More than one only where the first certainly did not count. */
  posts: number
  /** `success`, or the name of the error. */
  outcome: string
  submission?: 'not_sent' | 'rejected' | 'unknown'
  /** Upper bound of the time that it takes, in milliseconds. Default 2 000: machines may be busy. */
  withinMs?: number
  /** True when the client's time limit is what ends it: then that is short. */
  isSlow?: boolean
}

/** A service that does something bad to a run. */
export interface RunFault extends Expectation {
  name: string
  /** A script; or a place where no service is. */
  service: Script | 'closed port' | 'unknown host' | 'no TLS'
}

const fault = (name: string, service: RunFault['service'], expected: Expectation): RunFault => ({
  name,
  service,
  ...expected,
})

/** Answers runs so; whoever looks at the job finds it done. */
const post = (...POST: NonNullable<Script['POST']>): Script => ({
  POST,
  GET: [json(200, fixtures.jobs.succeeded.body)],
})

const notSent: Expectation = { posts: 0, outcome: 'ConnectionError', submission: 'not_sent' }
const unknown = (outcome: string): Expectation => ({ posts: 1, outcome, submission: 'unknown' })
const refused = (outcome: string): Expectation => ({ posts: 1, outcome, submission: 'rejected' })
const [lost, unreadable] = [unknown('ConnectionError'), unknown('InvalidResponseError')]
const failed = unknown('ServerError')
const timedOut: Expectation = { ...unknown('AttemptTimeoutError'), isSlow: true }
const found: Expectation = { posts: 1, outcome: 'success' }
const sentAgain: Expectation = { posts: 2, outcome: 'success' }

const QUEUED = { ...fixtures.runs.queued.body, job_id: 'job_1' }
const TEXT = JSON.stringify(QUEUED)
const ERROR = { error: { code: 'SOME_CODE', message: 'Some message' } }
const HTML = '<!doctype html><title>Gateway</title><p>Sorry</p>'
const GZIP = [['content-encoding', 'gzip']] as const
const TWICE = [['content-type', 'text/html'], ['x-request-id', 'a'], ['x-request-id', 'b']] as const // biome-ignore format: a row

const queued = json(202, QUEUED)
const busy = (status: number, ...retryAfter: string[]) =>
  json(status, ERROR, retryAfter.map((value) => ['retry-after', value] as const)) // biome-ignore format: a row
const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()

/** Every fault, what the service gets, and what the caller gets. */
export const RUN_FAULTS: readonly RunFault[] = [
  fault('refuses the connection', 'closed port', notSent),
  fault('has a name that does not exist', 'unknown host', { ...notSent, withinMs: 10_000 }),
  fault('speaks no TLS', 'no TLS', notSent),
  fault('resets before the head of its answer', post(reset), lost),
  fault('resets in the head', post(raw('HTTP/1.1 200 OK\r\ncontent-', 'reset')), lost),
  fault('resets in the body', post(partial(200, '{"request_id":"r"', 'reset')), unreadable),
  fault('resets after it named the job', post(partial(202, '{"job_id":"job_1",', 'reset')), found),
  fault('hangs up without an answer', post(hangUp), lost),
  fault('ends before the promised length', post(partial(200, '{"request_id":"r"', 'end')), unreadable),
  fault('ends after it named the job', post(partial(202, '{"job_id":"job_1","st', 'end')), found),

  fault('never answers', post(silence), timedOut),
  fault('stalls in the head', post(raw('HTTP/1.1 200 OK\r\n', 'stall')), timedOut),
  fault('stalls in the body', post(partial(200, '{"sta', 'stall')), timedOut),
  fault('stalls after it named the job', post(partial(202, '{"job_id":"job_1"', 'stall')), { ...found, isSlow: true }),
  fault('drips for ever', post(drip(200, ' '.repeat(9_999), 5)), timedOut),
  fault('drips an answer in time', post(drip(202, TEXT, 1)), found),

  fault('does not speak HTTP', post(raw('SSH-2.0-OpenSSH_9.6\r\n', 'end')), lost),
  fault('sends a head without an end', post(raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'stall')), lost),
  fault(
    'sends two lengths',
    post(raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}', 'stall')),
    lost,
  ),
  fault(
    'sends a broken chunk',
    post(raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'stall')),
    unreadable,
  ),
  fault('sends headers twice', post(json(202, QUEUED, TWICE)), found),
  fault('answers in HTTP/1.0', post(raw(`HTTP/1.0 202 Accepted\r\n\r\n${TEXT}`, 'end')), found),

  fault('answers 200 with a web page', post(answer(200, HTML)), unreadable),
  fault('answers 502 with a web page', post(answer(502, HTML)), failed),
  fault('answers 200 with nothing', post(answer(200)), unreadable),
  fault('answers 204', post(raw('HTTP/1.1 204 No Content\r\n\r\n', 'stall')), unreadable),
  fault('answers JSON of another shape', post(json(200, { ok: true })), unreadable),
  fault('answers a JSON list', post(json(200, [QUEUED])), unreadable),
  fault('answers null', post(json(200, null)), unreadable),
  fault('echoes an input with the id of another job', post(json(200, { input: { job_id: 'old' } })), unreadable),
  fault('answers what is no UTF-8', post(answer(200, Buffer.from([0x80, 0xff, 0x22]))), unreadable),
  fault('floods the client', post(flood(200, 50_000_000)), { ...unreadable, withinMs: 8_000 }),
  fault('answers gzip that is broken', post(answer(200, 'not gzip', GZIP)), unreadable),
  fault('answers gzip', post(answer(202, gzipSync(TEXT), GZIP)), found),
  fault('answers an unknown status', post(json(200, { ...QUEUED, status: 'warming' })), found),
  fault('answers succeeded, the word of the job status', post(json(200, { ...QUEUED, status: 'succeeded' })), found),
  fault('answers completed without an output', post(json(200, { ...QUEUED, status: 'completed' })), found),
  fault('answers with the id of the job alone', post(json(202, { job_id: 'job_1' })), found),
  fault('answers 500 that names the job', post(json(500, { ...ERROR, job_id: 'job_1' })), found),

  fault('answers 400', post(json(400, ERROR)), refused('InvalidRequestError')),
  fault('answers 401 (section 7)', post(json(401, ERROR)), refused('AuthenticationError')),
  fault('answers 402', post(json(402, ERROR)), refused('InsufficientCreditsError')),
  fault('answers 403 (section 7)', post(json(403, ERROR)), refused('PermissionDeniedError')),
  fault('answers 404', post(json(404, ERROR)), refused('NotFoundError')),
  fault('answers 405', post(json(405, ERROR)), refused('ApiError')),
  fault('answers 408', post(json(408, ERROR)), unknown('ApiError')),
  fault('answers 409', post(json(409, ERROR)), refused('ConflictError')),
  fault('answers 410', post(json(410, ERROR)), refused('ApiError')),
  fault('answers 413', post(json(413, ERROR)), refused('ApiError')),
  fault('answers 415', post(json(415, ERROR)), refused('ApiError')),
  fault('answers 418', post(json(418, ERROR)), refused('ApiError')),
  fault('answers 422', post(json(422, ERROR)), refused('InvalidRequestError')),
  fault('answers 429 again and again', post(busy(429)), { ...refused('RateLimitError'), posts: 3 }),
  fault('answers 500', post(json(500, ERROR)), failed),
  fault('answers 501', post(json(501, ERROR)), failed),
  fault('answers 502', post(json(502, ERROR)), failed),
  fault('answers 503', post(json(503, ERROR)), failed),
  fault('answers 504', post(json(504, ERROR)), failed),
  fault('answers 522', post(json(522, ERROR)), failed),

  fault('answers 429 with Retry-After: 0', post(busy(429, '0'), queued), sentAgain),
  fault('answers 429 with Retry-After: 1', post(busy(429, '1'), queued), { ...sentAgain, withinMs: 4_000 }),
  fault('answers 429 with a date that has passed', post(busy(429, 'Thu, 01 Jan 2026 00:00:00 GMT'), queued), sentAgain),
  fault('answers 429 with a garbage Retry-After', post(busy(429, 'soon'), queued), sentAgain),
  fault('answers 429 with a negative Retry-After', post(busy(429, '-5'), queued), sentAgain),
  fault('answers 429 with two Retry-After', post(busy(429, '1', '2'), queued), sentAgain),
  fault('answers 429 with Retry-After: a day', post(busy(429, '86400')), refused('RateLimitError')),
  fault('answers 429 with a date in an hour', post(busy(429, inAnHour)), refused('RateLimitError')),
  fault('answers 429 with an endless Retry-After', post(busy(429, '9'.repeat(400))), refused('RateLimitError')),
  fault('answers 503 with Retry-After: 0', post(busy(503, '0'), queued), sentAgain),
  fault('answers 503 with a garbage Retry-After', post(busy(503, 'soon')), failed),
  fault('answers 503 with Retry-After: a day', post(busy(503, '86400')), refused('ServerError')),
]
