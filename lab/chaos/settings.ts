import type { EngineAt } from '../../packages/integration-tests/src/durable/open-engine.ts'

/** What a receiver process is started with. */
export interface ReceiverSettings {
  engineAt: EngineAt
  serviceUrl: string
  journalPath: string
  effectsPath: string
  seed: number
  /** How far the clock of this process is ahead. */
  skewMs: number
  /** Whether jobs are sabotaged, and deliveries trusted. */
  isSabotaged: boolean
}

/** What a receiver reports to its parent process. */
export interface ReceiverReady {
  port: number
}

export const INBOX_NAME = 'chaos'
export const SECRET = 'a secret of thirty-two bytes, or more'
export const PUBLIC_URL = 'https://app.example.com/webhooks'
export const LOCK_MS = 1_500
export const MAX_RUN_MS = 1_500

/** Short, so that a test does not wait for long. */
export const TIMES = { lockMs: LOCK_MS, maxRunMs: MAX_RUN_MS, backoffMs: 100, expectedAfterMs: 1_500 } as const
