import { gzipSync } from 'node:zlib'
import { fixtures } from '@modelrun/contract/fixtures'
import type { Script } from './hostile-server.ts'
import { drip, flood, hangUp, json, partial, raw, reset, response, silence } from './server-responses.ts'

/** What the client must make of a fault. */
interface Expectation {
  /** How many runs the service gets. More than one only where the first certainly did not count. */
  posts: number
  /** `success`, or the name of the error. */
  outcome: string
  submission?: 'not_sent' | 'rejected' | 'unknown'
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

/** The run gets this response; a poll finds the job finished. */
const post = (...POST: NonNullable<Script['POST']>): Script => ({
  POST,
  GET: [json(200, fixtures.jobs.succeeded.body)],
})

const notSent: Expectation = { posts: 0, outcome: 'ConnectionError', submission: 'not_sent' }
const unknown = (outcome: string): Expectation => ({ posts: 1, outcome, submission: 'unknown' })
const rejected = (outcome: string): Expectation => ({ posts: 1, outcome, submission: 'rejected' })
const [lost, unreadable] = [unknown('ConnectionError'), unknown('InvalidResponseError')]
const failed = unknown('ServerError')
const timedOut = unknown('AttemptTimeoutError')
const found: Expectation = { posts: 1, outcome: 'success' }
const sentAgain: Expectation = { posts: 2, outcome: 'success' }

const QUEUED = { ...fixtures.runs.queued.body, job_id: 'job_1' }
const TEXT = JSON.stringify(QUEUED)
const ERROR = { error: { code: 'SOME_CODE', message: 'Some message' } }
const HTML = '<!doctype html><title>Gateway</title><p>Sorry</p>'
const GZIP = [['content-encoding', 'gzip']] as const
const TWICE = [['content-type', 'text/html'], ['x-request-id', 'a'], ['x-request-id', 'b']] as const // biome-ignore format: a row

/** Statuses with which the service rejects a run, and the error of each. */
const REJECTIONS: Readonly<Record<number, string>> = {
  400: 'InvalidRequestError',
  401: 'AuthenticationError',
  402: 'InsufficientCreditsError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  405: 'ApiError',
  409: 'ConflictError',
  418: 'ApiError',
  422: 'InvalidRequestError',
}

const queued = json(202, QUEUED)
const busy = (status: number, retryAfter?: string) =>
  json(status, ERROR, retryAfter === undefined ? [] : [['retry-after', retryAfter]])
const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()

/** Every fault, what the service gets, and what the caller gets. */
export const RUN_FAULTS: readonly RunFault[] = [
  fault('rejects the connection', 'closed port', notSent),
  fault('has a name that does not exist', 'unknown host', notSent),
  fault('speaks no TLS', 'no TLS', notSent),
  fault('resets before the head of its response', post(reset), lost),
  fault('resets in the head', post(raw('HTTP/1.1 200 OK\r\ncontent-', 'reset')), lost),
  fault('resets in the body', post(partial(200, '{"request_id":"r"', 'reset')), unreadable),
  fault('resets after it named the job', post(partial(202, '{"job_id":"job_1",', 'reset')), found),
  fault('hangs up without a response', post(hangUp), lost),
  fault('ends before the promised length', post(partial(200, '{"request_id":"r"', 'end')), unreadable),
  fault('ends after it named the job', post(partial(202, '{"job_id":"job_1","st', 'end')), found),

  fault('never responds', post(silence), timedOut),
  fault('stalls in the head', post(raw('HTTP/1.1 200 OK\r\n', 'stall')), timedOut),
  fault('stalls in the body', post(partial(200, '{"sta', 'stall')), timedOut),
  fault('stalls after it named the job', post(partial(202, '{"job_id":"job_1"', 'stall')), found),
  fault('drips for ever', post(drip(200, ' '.repeat(99_999), 20)), timedOut),
  fault('drips a response in time', post(drip(202, TEXT)), found),

  fault('does not speak HTTP', post(raw('SSH-2.0-OpenSSH_9.6\r\n', 'end')), lost),
  fault('sends a head without an end', post(raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'open')), lost),
  fault(
    'sends two lengths',
    post(raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}', 'open')),
    lost,
  ),
  fault(
    'sends a broken chunk',
    post(raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'open')),
    unreadable,
  ),
  fault('sends headers twice', post(json(202, QUEUED, TWICE)), found),
  fault('responds in HTTP/1.0', post(raw(`HTTP/1.0 202 Accepted\r\n\r\n${TEXT}`, 'end')), found),

  fault('responds with 200 with a web page', post(response(200, HTML)), unreadable),
  fault('responds with 502 with a web page', post(response(502, HTML)), failed),
  fault('responds with an empty 200', post(response(200)), unreadable),
  fault('responds with 204', post(raw('HTTP/1.1 204 No Content\r\n\r\n', 'open')), unreadable),
  fault('responds with JSON of another shape', post(json(200, { ok: true })), unreadable),
  fault('responds with a JSON list', post(json(200, [QUEUED])), found),
  fault('responds with a JSON list of two', post(json(200, [QUEUED, QUEUED])), unreadable),
  fault('responds with null', post(json(200, null)), unreadable),
  fault('echoes an input with the id of another job', post(json(200, { input: { job_id: 'old' } })), unreadable),
  fault('responds with bytes that are not UTF-8', post(response(200, Buffer.from([0x80, 0xff, 0x22]))), unreadable),
  fault('floods the client', post(flood(200, 50_000_000)), unreadable),
  fault('responds with gzip that is broken', post(response(200, 'not gzip', GZIP)), unreadable),
  fault('responds with gzip', post(response(202, gzipSync(TEXT), GZIP)), found),
  fault('responds with an unknown status', post(json(200, { ...QUEUED, status: 'warming' })), found),
  fault(
    'responds with succeeded, the word of the job status',
    post(json(200, { ...QUEUED, status: 'succeeded' })),
    found,
  ),
  fault('responds with completed without an output', post(json(200, { ...QUEUED, status: 'completed' })), found),
  fault('responds with the id of the job alone', post(json(202, { job_id: 'job_1' })), found),
  fault('responds with 500 that names the job', post(json(500, { ...ERROR, job_id: 'job_1' })), found),

  ...Object.entries(REJECTIONS).map(([status, error]) =>
    fault(`responds with ${status}`, post(json(Number(status), ERROR)), rejected(error)),
  ),
  // Node's `fetch` makes an error without a reason of it.
  fault('responds with 407', post(json(407, ERROR)), lost),
  fault('responds with 408', post(json(408, ERROR)), unknown('ApiError')),
  // `fetch` itself sends again what the server was not meant for, on another connection (Fetch standard, HTTP-network fetch).
  fault('responds with 421', post(json(421, ERROR)), { ...unknown('ApiError'), posts: 2 }),
  fault('responds with 421 once', post(json(421, ERROR), queued), sentAgain),
  fault('responds with 429 again and again', post(busy(429)), { ...rejected('RateLimitError'), posts: 3 }),
  ...[500, 501, 502, 503, 504, 522].map((status) =>
    fault(`responds with ${status}`, post(json(status, ERROR)), failed),
  ),

  fault('responds with 429 and Retry-After: 0', post(busy(429, '0'), queued), sentAgain),
  fault('responds with 429 and Retry-After: 1', post(busy(429, '1'), queued), sentAgain),
  ...['Thu, 01 Jan 2026 00:00:00 GMT', 'soon', '-5', '1, 2'].map((value) =>
    fault(`responds with 429 and Retry-After: ${value}`, post(busy(429, value), queued), sentAgain),
  ),
  fault('responds with 429 and Retry-After: a day', post(busy(429, '86400')), rejected('RateLimitError')),
  fault('responds with 429 and a date in an hour', post(busy(429, inAnHour)), rejected('RateLimitError')),
  fault('responds with 429 and an endless Retry-After', post(busy(429, '9'.repeat(400))), rejected('RateLimitError')),
  fault('responds with 503 with Retry-After: 0', post(busy(503, '0'), queued), sentAgain),
  fault('responds with 503 with a garbage Retry-After', post(busy(503, 'soon')), failed),
  fault('responds with 503 with Retry-After: a day', post(busy(503, '86400')), rejected('ServerError')),
]
