import type { FaultOptions } from '@modelrun/reference-server'

/** What one logical call has to cost, and whether it brings its files. */
interface FaultRow {
  name: string
  fault: FaultOptions
  posts: number
  charges: number
  end: 'ok' | 'error'
}

const afterwards = { route: 'runModel', when: 'after' } as const
const before = { route: 'runModel', when: 'before' } as const

/** Twelve faults of a network and a service, around one call. */
export const FAULTS: readonly FaultRow[] = [
  { name: 'reset after the charge', fault: { kind: 'reset', ...afterwards }, posts: 1, charges: 1, end: 'error' },
  { name: '500 after the charge', fault: { kind: 'server-error', ...afterwards }, posts: 1, charges: 1, end: 'error' },
  {
    name: '502 page after the charge',
    fault: { kind: 'bad-gateway', ...afterwards },
    posts: 1,
    charges: 1,
    end: 'error',
  },
  { name: 'no response after the charge', fault: { kind: 'hang', ...afterwards }, posts: 1, charges: 1, end: 'error' },
  {
    name: 'cut JSON after the charge',
    fault: { kind: 'truncated-body', ...afterwards },
    posts: 1,
    charges: 1,
    end: 'ok',
  },
  {
    name: '503 without Retry-After, twice, before',
    fault: { kind: 'unavailable', ...before, times: 2 },
    posts: 1,
    charges: 0,
    end: 'error',
  },
  { name: '429 once, before', fault: { kind: 'rate-limit', ...before, times: 1 }, posts: 2, charges: 1, end: 'ok' },
  { name: 'refused once', fault: { kind: 'refused', ...before, times: 1 }, posts: 2, charges: 1, end: 'ok' },
  {
    name: 'one poll responds 503',
    fault: { kind: 'unavailable', route: 'getJob', times: 1 },
    posts: 1,
    charges: 1,
    end: 'ok',
  },
  {
    name: 'four polls respond 503',
    fault: { kind: 'unavailable', route: 'getJob', times: 4 },
    posts: 1,
    charges: 1,
    end: 'ok',
  },
  {
    name: 'the file host responds 503 once',
    fault: { kind: 'unavailable', route: 'getFile', times: 1 },
    posts: 1,
    charges: 1,
    end: 'ok',
  },
  {
    name: 'the file host responds 503 for ever',
    fault: { kind: 'unavailable', route: 'getFile' },
    posts: 1,
    charges: 1,
    end: 'error',
  },
]
