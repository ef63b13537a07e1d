import type { ErrorDetail, Output, Permission, TerminalJobStatus } from '@modelrun/contract'
import type { CreditsState } from '../domain/credits.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import type { ScriptedWebhook } from '../domain/scripted-webhook.ts'
import type { FaultsState } from '../faults/account-faults.ts'
import { MAX_NESTING } from '../json-nesting.ts'
import type { DeliveryBody, DeliveryRecord } from '../webhooks/delivery-record.ts'

/** What every snapshot begins with. */
export const SNAPSHOT_FORMAT = 'modelrun-reference-server'

/** Rises when an older release could not read it any more. */
export const SNAPSHOT_VERSION = 1

/** So many levels of objects and arrays a snapshot may have: those of a request's body, and some around what it held. */
export const SNAPSHOT_NESTING = MAX_NESTING + 16

/**
 * The whole state of a server as plain JSON: time, random numbers, keys, accounts with their credits, scripts and faults,
 * jobs, deliveries. Keep it and hand it to `restore`; what is in it may change with `version`.
 *
 * Not in it: the journal, coverage, receivers in this process, and the options, which are the server's own.
 */
export interface Snapshot {
  /** Tells a snapshot from other JSON. */
  format: typeof SNAPSHOT_FORMAT
  /** Version of the format; a server rejects versions that it does not know. */
  version: typeof SNAPSHOT_VERSION
  /** Milliseconds since 1970 on the server's clock. */
  time: number
  /** The same in real time, when the server's clock is `'system'`: then time passes for a server that is not there. */
  realTime?: number | undefined
  /** Seed of faults to come. */
  seed: number
  /** Where the random numbers of ids and files stand. */
  random: readonly number[]
  /** How many requests have an id. */
  requests: number
  /** The account of each key, with its jobs, credits, scripts and deliveries. */
  accounts: readonly AccountState[]
  /** In the order in which they were made; the first one is the server's `apiKey`. */
  keys: readonly KeyState[]
  /** Finished ones first. */
  jobs: readonly JobState[]
  /** Results on their way. A delivery that had begun begins again. */
  pendingDeliveries: readonly ErrandSnapshot[]
  /** The deliveries that `webhooks.next()` has not returned, oldest first. */
  unread: readonly { account: number; delivery: number }[]
}

/** A tenant. Others name it by its index. */
export interface AccountState {
  name: string
  credits: CreditsState
  scripts: Readonly<Record<string, readonly ScriptedOutcome[]>>
  webhook?: ScriptedWebhook | undefined
  faults: FaultsState
  /** In the order in which they finished. */
  deliveries: readonly DeliveryRecord[]
}

export interface KeyState {
  key: string
  account: number
  isLive: boolean
  permissions: readonly Permission[]
  allowIps?: readonly string[] | undefined
  isRevoked: boolean
}

export interface JobState {
  id: string
  requestId: string
  account: number
  model: string
  input: Readonly<Record<string, unknown>>
  seed: number
  createdAt: number
  processingAt: number
  webhook?: (ScriptedWebhook & { url: string }) | undefined
  reads: number
  /** Of an unfinished job. */
  plan?: PlanState | undefined
  /** When time alone will end it. */
  endsAt?: number | undefined
  /** Of several that end at the same time, the lower one ends first. */
  endPlace?: number | undefined
  /** Of a finished job. */
  end?: EndState | undefined
}

export interface PlanState {
  endsAt?: number | undefined
  afterReads: number
  status: 'succeeded' | 'failed'
  output?: Output | undefined
  error?: ErrorDetail | undefined
}

interface EndState {
  status: TerminalJobStatus
  at: number
  output?: Output | undefined
  error?: ErrorDetail | undefined
  isCharged?: boolean | undefined
}

export interface ErrandSnapshot {
  job_id: string
  body: DeliveryBody
  /** How many deliveries are over. */
  sent: number
  /** Kept back until something else has happened. */
  isHeld: boolean
  dueAt?: number | undefined
}
