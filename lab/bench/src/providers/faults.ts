import type { FaultOptions } from '@modelrun/reference-server'

/** Which request of a call goes wrong. */
export type Request = 'post' | 'poll' | 'file'

/** What happens to one logical call. */
export interface Fault {
  name: string
  /** At the service that stands for fal's and Replicate's. */
  request: Request
  /** A status, a code of a broken connection, or `cut` for JSON that ends in the middle. */
  act: string
  times: number
  /** Whether the service has accepted the run before. */
  isAccepted: boolean
  /** The same at the reference server. */
  ours: FaultOptions
}

const FOR_EVER = 1_000

function afterPost(name: string, act: string, kind: FaultOptions['kind']): Fault {
  const ours = { kind, route: 'runModel', when: 'after' } as const
  return { name: `${name}, after the run was accepted`, request: 'post', act, times: FOR_EVER, isAccepted: true, ours }
}

function beforePost(name: string, act: string, { kind, times }: { kind: FaultOptions['kind']; times: number }): Fault {
  return { name, request: 'post', act, times, isAccepted: false, ours: { kind, route: 'runModel', times } }
}

function later(name: string, request: 'poll' | 'file', times: number): Fault {
  const route = request === 'poll' ? 'getJob' : 'getFile'
  return { name, request, act: '503', times, isAccepted: false, ours: { kind: 'unavailable', route, times } }
}

export const FAULTS: readonly Fault[] = [
  afterPost('connection reset', 'ECONNRESET', 'reset'),
  afterPost('HTTP 500', '500', 'server-error'),
  afterPost('HTTP 502 with a page', '502', 'bad-gateway'),
  afterPost('no response', 'UND_ERR_HEADERS_TIMEOUT', 'hang'),
  afterPost('JSON that is cut off', 'cut', 'truncated-body'),
  beforePost('two responses 503 without Retry-After', '503', { kind: 'unavailable', times: 2 }),
  beforePost('one response 429', '429', { kind: 'rate-limit', times: 1 }),
  beforePost('connection refused once', 'ECONNREFUSED', { kind: 'refused', times: 1 }),
  later('one poll responds 503', 'poll', 1),
  later('four polls respond 503', 'poll', 4),
  later('the file host responds 503 once', 'file', 1),
  later('the file host responds 503 for ever', 'file', FOR_EVER),
]
