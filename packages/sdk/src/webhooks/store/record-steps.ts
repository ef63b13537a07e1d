import type { ClaimRequest, ClaimResult, Expectation, Lease, NextStep, RecordState } from './inbox-store.ts'
import { acquired, isClaimable, refused, type StoredRecord, toJson, wholeMs } from './stored-record.ts'

/**
 * What a change makes of a record: its result, and the record after it. Undefined is no record; the very same record is
 * no change. For stores that can look at a record and write it in one atomic step.
 */
export type Step<T> = (before: StoredRecord | undefined, now: number) => { result: T; after: StoredRecord | undefined }

export function expectStep(key: string, { pollInMs, ref, context }: Expectation): Step<void> {
  const known = { ref, context: toJson(context) }
  const pollMs = wholeMs(pollInMs)
  return (before, now) => {
    if (before === undefined)
      return { result: undefined, after: newRecord(key, now, { ...known, dueAt: now + pollMs }) }
    const adds = { ref: before.ref ?? known.ref, context: before.context ?? known.context }
    const isSame = adds.ref === before.ref && adds.context === before.context
    return { result: undefined, after: isSame ? before : { ...before, ...adds } }
  }
}

export function claimStep(key: string, request: ClaimRequest): Step<ClaimResult> {
  const { owner, fingerprint } = request
  const leaseMs = wholeMs(request.leaseMs)
  const payload = toJson(request.payload)
  const delivered = payload === undefined ? {} : { payload, fingerprint }
  return (before, now) => {
    if (before === undefined && payload === undefined)
      return { result: { kind: 'done', samePayload: true }, after: before }
    if (before !== undefined && !isClaimable(before, request, now)) {
      return { result: refused(before, request, now), after: before }
    }
    const { fence, attempt, ...rest } = before ?? newRecord(key, now, { dueAt: now })
    const stored = rest.payload === undefined ? delivered : {}
    const lease = { state: 'leased', owner, fence: fence + 1, attempt: attempt + 1, dueAt: now + leaseMs } as const
    const after = { ...rest, ...stored, ...lease }
    return { result: acquired(after, request, before?.state === 'leased'), after }
  }
}

export function extendStep(lease: Lease, leaseMs: number): Step<boolean> {
  const ms = wholeMs(leaseMs)
  return (before, now) => {
    if (!holds(before, lease)) return { result: false, after: before }
    return { result: true, after: { ...before, dueAt: now + ms } }
  }
}

export function completeStep(lease: Lease, keepMs: number): Step<'ok' | 'lost'> {
  const ms = wholeMs(keepMs)
  return (before, now) => {
    if (holds(before, lease)) return { result: 'ok', after: { ...before, ...DROPPED, state: 'done', dueAt: now + ms } }
    return { result: wasCompleted(before, lease) ? 'ok' : 'lost', after: before }
  }
}

export function releaseStep(lease: Lease, next: NextStep, error?: string): Step<'ok' | 'lost'> {
  const ms = nextMs(next)
  return (before, now) => {
    if (!holds(before, lease)) return { result: 'lost', after: before }
    return { result: 'ok', after: moveOn(before, { next, error, dueAt: now + ms }) }
  }
}

export function postponeStep(polls: number, next: NextStep, error?: string): Step<boolean> {
  const ms = nextMs(next)
  return (before, now) => {
    if (before?.state !== 'expected' || before.polls !== polls) return { result: false, after: before }
    return { result: true, after: moveOn({ ...before, polls: polls + 1 }, { next, error, dueAt: now + ms }) }
  }
}

export const replayStep: Step<boolean> = (before, now) => {
  if (before?.state !== 'dead') return { result: false, after: before }
  const state = before.payload === undefined ? 'expected' : 'retry'
  return { result: true, after: { ...before, state, dueAt: now, attempt: 0, polls: 0 } }
}

/** How long the next step lets the record rest. */
export function nextMs(next: NextStep): number {
  switch (next.kind) {
    case 'retry':
      return wholeMs(next.inMs)
    case 'expect':
      return wholeMs(next.pollInMs)
    case 'dead':
      return wholeMs(next.keepMs)
    case 'forget':
      return 0
  }
}

/** The state after the next step; '' when the record is gone. */
export function nextState({ kind }: NextStep): RecordState | '' {
  if (kind === 'forget') return ''
  return kind === 'expect' ? 'expected' : kind
}

const DROPPED = { payload: undefined } as const

function newRecord(key: string, now: number, facts: Pick<StoredRecord, 'dueAt' | 'ref' | 'context'>): StoredRecord {
  return { key, state: 'expected', fence: 0, attempt: 0, polls: 0, createdAt: now, ...facts }
}

function holds(record: StoredRecord | undefined, lease: Lease): record is StoredRecord {
  return record?.state === 'leased' && isOwn(record, lease)
}

function wasCompleted(record: StoredRecord | undefined, lease: Lease): boolean {
  return record?.state === 'done' && isOwn(record, lease)
}

function isOwn(record: StoredRecord, { owner, fence }: Lease): boolean {
  return record.owner === owner && record.fence === fence
}

interface Move {
  next: NextStep
  error: string | undefined
  dueAt: number
}

function moveOn(record: StoredRecord, { next, error, dueAt }: Move): StoredRecord | undefined {
  const rested = { ...record, owner: undefined, dueAt, lastError: error ?? record.lastError }
  switch (next.kind) {
    case 'retry':
      return { ...rested, state: 'retry', attempt: Math.max(0, record.attempt - (next.isFree ? 1 : 0)) }
    case 'expect':
      return { ...rested, ...DROPPED, state: 'expected', fingerprint: undefined, attempt: 0 }
    case 'dead':
      return { ...rested, state: 'dead' }
    case 'forget':
      return undefined
  }
}
