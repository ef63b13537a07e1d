import { ConfigurationError } from '../../errors/local-errors.ts'
import type { ClaimRequest, ClaimResult, DueRecord, InboxRecord, RecordState } from './inbox-store.ts'

/** A record as a store keeps it. Times are milliseconds of the store's own clock. */
export interface StoredRecord {
  readonly key: string
  readonly state: RecordState
  /** Who has the lease, or ended it with success. */
  readonly owner?: string | undefined
  readonly fence: number
  readonly attempt: number
  readonly polls: number
  readonly createdAt: number
  /** When it wants attention; for `done` and `dead`: when it is forgotten. */
  readonly dueAt: number
  readonly ref?: string | undefined
  /** JSON text, so that nobody holds what is stored. */
  readonly context?: string | undefined
  /** JSON text. */
  readonly payload?: string | undefined
  readonly fingerprint?: string | undefined
  readonly lastError?: string | undefined
}

/** 100 years, which every database can add to its clock. */
const MAX_MS = 3_155_760_000_000

/** A duration as every database takes it: a whole number from 0 to 100 years. */
export function wholeMs(ms: number): number {
  if (typeof ms !== 'number' || Number.isNaN(ms)) {
    throw new ConfigurationError({ message: `A duration of the inbox must be a number of milliseconds, not ${ms}.` })
  }
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_MS)
}

/** JSON text of a value; undefined has none. */
export function toJson(value: unknown): string | undefined {
  // JSON.stringify gives undefined for undefined, whatever its type says.
  return JSON.stringify(value) as string | undefined
}

function fromJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

export function isClaimable(record: StoredRecord, request: ClaimRequest, now: number): boolean {
  switch (record.state) {
    case 'expected':
      return true
    case 'leased':
    case 'retry':
      return record.dueAt <= now
    case 'dead':
      return record.payload === undefined && request.payload !== undefined
    case 'done':
      return false
  }
}

/** What a claim gives that took the record; `record` is as the claim left it. */
export function acquired(record: StoredRecord, request: ClaimRequest, isReclaimed: boolean): ClaimResult {
  const { key, fence, attempt, ref } = record
  return {
    kind: 'acquired',
    lease: { key, owner: request.owner, fence, attempt },
    payload: fromJson(record.payload),
    samePayload: isSamePayload(record, request),
    context: fromJson(record.context),
    ref,
    isReclaimed,
  }
}

/** What a claim gives that could not take the record. */
export function refused(record: StoredRecord, request: ClaimRequest, now: number): ClaimResult {
  const samePayload = isSamePayload(record, request)
  if (record.state === 'done' || record.state === 'dead') return { kind: record.state, samePayload }
  const kind = record.state === 'retry' ? 'waiting' : 'busy'
  return { kind, msLeft: Math.max(0, record.dueAt - now), samePayload }
}

function isSamePayload(record: StoredRecord, { payload, fingerprint }: ClaimRequest): boolean {
  return payload === undefined || record.fingerprint === undefined || record.fingerprint === fingerprint
}

/** `record` is unfinished. */
export function toDueRecord(record: StoredRecord, now: number): DueRecord {
  const { key, state, polls, createdAt } = record
  const reason = state === 'expected' ? 'poll' : state === 'leased' ? 'lease_expired' : 'retry'
  return { key, reason, polls, ageMs: Math.max(0, now - createdAt), context: fromJson(record.context) }
}

export function toInboxRecord(record: StoredRecord, now: number): InboxRecord {
  const { key, state, fence, attempt, polls, ref, lastError } = record
  return {
    key,
    state,
    fence,
    attempt,
    polls,
    ageMs: Math.max(0, now - record.createdAt),
    dueInMs: record.dueAt - now,
    ref,
    context: fromJson(record.context),
    payload: fromJson(record.payload),
    lastError,
  }
}
