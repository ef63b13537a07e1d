import { fixtures } from '@modelrun/contract/fixtures'
import type { SocketAction } from '../../packages/integration-tests/src/hostile-service/hostile-server.ts'
import {
  hangUp,
  json,
  partial,
  reset,
  silence,
} from '../../packages/integration-tests/src/hostile-service/server-responses.ts'
import type { GATEWAYS } from './gateways.ts'

/** A run through a gateway. */
interface GatewayCase {
  gateway: keyof typeof GATEWAYS
  /** What the gateway does: the first part of the path. */
  way: string
  /** What the service does with a POST. */
  service: SocketAction
  name: string
  expected: {
    /** How many POSTs reach the service. */
    posts: number
    submission: 'unknown' | 'rejected'
    /** What `error.body` has of the gateway's page. */
    said: RegExp
    /** The status of the gateway. */
    status: number
    /** The status that a page gets from the proxy of the SDK. */
    pageStatus: number
  }
}

type Row = [way: string, name: string, service: SocketAction, posts: number, status: number, said: RegExp]

const unknown =
  (gateway: GatewayCase['gateway']) =>
  ([way, name, service, posts, status, said]: Row): GatewayCase => ({
    ...{ gateway, way, name, service },
    expected: { posts, submission: 'unknown', said, status, pageStatus: 502 },
  })

const rejected =
  (gateway: GatewayCase['gateway'], pageStatus: number) =>
  ([way, name, service, posts, status, said]: Row): GatewayCase => ({
    ...{ gateway, way, name, service },
    expected: { posts, submission: 'rejected', said, status, pageStatus },
  })

const accept = json(202, fixtures.runs.queued.body)
const rejectWith402 = json(402, { error: { code: 'INSUFFICIENT_CREDITS', message: 'No credits are left.' } })

const OF_VARNISH = [
  ...(
    [
      ['plain', 'the service resets the connection', reset, 1, 503, /Guru Meditation/],
      ['plain', 'the service hangs up', hangUp, 1, 503, /Guru Meditation/],
      ['plain', 'the service takes too long', silence, 1, 503, /Guru Meditation/],
      ['bare', 'the service takes too long, and the page has no Retry-After', silence, 1, 503, /We are back soon/],
      ['closed', 'the service cannot be reached', accept, 0, 503, /Guru Meditation/],
      ['shut', 'the gateway is shut', accept, 0, 503, /Error 503 Shut/],
    ] satisfies Row[]
  ).map(unknown('varnish')),
  rejected('varnish', 503)(['filtered', 'a rule does not let it pass', accept, 0, 403, /Error 403 Filtered/]),
]

const OF_NGINX = [
  ...(
    [
      ['plain', 'the service resets the connection', reset, 1, 502, /502 Bad Gateway/],
      ['plain', 'the service hangs up', hangUp, 1, 502, /502 Bad Gateway/],
      ['plain', 'the service takes too long', silence, 1, 504, /504 Gateway Time-out/],
      ['two', 'one of two services resets the connection', reset, 1, 502, /502 Bad Gateway/],
      ['closed', 'the service cannot be reached', accept, 0, 502, /502 Bad Gateway/],
      [
        'busy',
        'the gateway limits the rate with its own status',
        accept,
        0,
        503,
        /503 Service Temporarily Unavailable/,
      ],
      ['later', 'a page of JSON says to come back', reset, 1, 503, /We are back soon/],
      ['sorry', 'a page with status 200 takes the place of the error', reset, 1, 200, /We are sorry/],
      ['moved', 'a redirect takes the place of the error', silence, 1, 302, /302 Found/],
    ] satisfies Row[]
  ).map(unknown('nginx')),
  rejected('nginx', 413)(['small', 'the body is too large', accept, 0, 413, /413 Request Entity Too Large/]),
  rejected('nginx', 429)(['limited', 'the gateway limits the rate', accept, 0, 429, /429 Too Many Requests/]),
  rejected('nginx', 402)(['own', 'a page takes the place of a rejection', rejectWith402, 1, 402, /Ask the admin/]),
]

export const GATEWAY_CASES: readonly GatewayCase[] = [...OF_VARNISH, ...OF_NGINX]

/** A response that names its job, and then breaks off. */
export const cutAfterJob = partial(202, JSON.stringify(fixtures.runs.queued.body), 'end')
