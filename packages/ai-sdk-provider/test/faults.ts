import type { FaultOptions } from '@modelrun/reference-server'

const after = { route: 'runModel', when: 'after' } as const
const before = { route: 'runModel', when: 'before' } as const

type Row = [name: string, fault: FaultOptions, costs: string]

/** Twelve faults of a network and a service around one call, what the call has to cost, and whether it brings its files. */
export const FAULTS: readonly Row[] = [
  ['reset after the charge', { kind: 'reset', ...after }, '1 POST, 1 charge, error'],
  ['500 after the charge', { kind: 'server-error', ...after }, '1 POST, 1 charge, error'],
  ['502 page after the charge', { kind: 'bad-gateway', ...after }, '1 POST, 1 charge, error'],
  ['no response after the charge', { kind: 'hang', ...after }, '1 POST, 1 charge, error'],
  ['cut JSON after the charge', { kind: 'truncated-body', ...after }, '1 POST, 1 charge, ok'],
  ['503 without Retry-After, twice, before', { kind: 'unavailable', ...before, times: 2 }, '1 POST, 0 charge, error'],
  ['429 once, before', { kind: 'rate-limit', ...before, times: 1 }, '2 POST, 1 charge, ok'],
  ['refused once', { kind: 'refused', ...before, times: 1 }, '2 POST, 1 charge, ok'],
  ['one poll responds 503', { kind: 'unavailable', route: 'getJob', times: 1 }, '1 POST, 1 charge, ok'],
  ['four polls respond 503', { kind: 'unavailable', route: 'getJob', times: 4 }, '1 POST, 1 charge, ok'],
  ['the file host responds 503 once', { kind: 'unavailable', route: 'getFile', times: 1 }, '1 POST, 1 charge, ok'],
  ['the file host responds 503 for ever', { kind: 'unavailable', route: 'getFile' }, '1 POST, 1 charge, error'],
]
