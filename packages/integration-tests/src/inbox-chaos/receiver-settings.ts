import type { FateRates } from './fate.ts'

/** Where the records are. */
export type StoreSettings =
  | { kind: 'sqlite'; path: string }
  | { kind: 'redis'; port: number }
  | { kind: 'postgres'; url: string }

/** What a receiver process is started with. */
export interface ReceiverSettings {
  store: StoreSettings
  /** True for a store that is wrong on purpose. */
  isFaulty: boolean
  /** The service, where jobs are read. */
  serviceUrl: string
  journalPath: string
  seed: number
  rates: FateRates
  leaseMs: number
}

/** What a receiver process tells its parent. */
export type ReceiverMessage = { kind: 'ready'; port: number } | { kind: 'kill me' }

/** The address that callback tokens are made for. The service in this test sends to the receivers instead. */
export const PUBLIC_URL = 'https://app.example.com/webhooks'

export const SECRET = 'a secret of the chaos test, of at least 32 bytes'

/** Short, so that what is left behind is soon taken. */
export const TIMES = { leaseMs: 600, sweepIntervalMs: 200, expectedAfterMs: 1_000 } as const

/** That of an inbox which was told nothing. */
export const DEFAULT_LEASE_MS = 60_000

/** Past the lease, and long enough for another process to take the job. */
export const STALL_MS = TIMES.leaseMs * 1.2 + TIMES.sweepIntervalMs * 2
