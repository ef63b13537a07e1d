/** Where a record stands. Only `done` and `dead` records are ever forgotten. */
export type RecordState = 'expected' | 'leased' | 'retry' | 'done' | 'dead'

/** What a store promises, for the checks that the inbox makes at its start. */
export interface StoreGuarantees {
  /** Records survive the end of the process. */
  durable: boolean
  /** Several processes see the same records. */
  shared: boolean
  /** `complete` can be part of the caller's own transaction. */
  transactional: boolean
}

/** A delivery that is to come. */
export interface Expectation {
  /** Milliseconds until the job should be looked at, if nothing was heard of it. */
  pollInMs: number
  /** The reference in the callback URL of the job. */
  ref?: string | undefined
  /** The caller's own JSON, given back with each claim and due record; undefined when there is none. */
  context?: unknown
}

/** Who wants to work on a record, and what was delivered. */
export interface ClaimRequest {
  /** Random, new for each claim. */
  owner: string
  /** Milliseconds for which nobody else gets the record. */
  leaseMs: number
  /** Hash of the payload, to tell an equal duplicate from a different one. Stored with the payload, and only with it. */
  fingerprint: string
  /** What was delivered, as JSON; undefined to claim for what is stored. */
  payload?: unknown
}

/** The right to work on a record until it ends or is lost. */
export interface Lease {
  /** Key of the record. */
  key: string
  /** `owner` of the claim that got the lease. */
  owner: string
  /** 1 for the first claim of the record, and 1 more with each: whoever has a lower one is too late. */
  fence: number
  /** 1 for the first claim since the record was made, replayed, or put back to `expected`. */
  attempt: number
}

/** What a claim found. `samePayload` is false only when a payload came with the claim and another one is stored. */
export type ClaimResult =
  /** The caller has the record. The payload that was stored first wins. */
  | {
      kind: 'acquired'
      lease: Lease
      payload: unknown
      samePayload: boolean
      context: unknown
      /** The reference of the expectation, when there was one. */
      ref: string | undefined
      /** True when a lease ran out: an earlier worker died or stalled. */
      isReclaimed: boolean
    }
  /** Another worker has it (`busy`), or its next try is scheduled (`waiting`): for `msLeft` milliseconds, never below 0. */
  | { kind: 'busy' | 'waiting'; msLeft: number; samePayload: boolean }
  | { kind: 'done' | 'dead'; samePayload: boolean }

/** What becomes of a record whose work did not succeed. */
export type NextStep =
  /**
   * Tried again: state `retry`, with its payload. `isFree`: the claim was no attempt, so that the next one has the same
   * `attempt`: the work could not begin, for instance because the service was unreachable.
   */
  | { kind: 'retry'; inMs: number; isFree?: boolean | undefined }
  /** Waits for a delivery again: state `expected`; payload and fingerprint are dropped, the attempts start anew. */
  | { kind: 'expect'; pollInMs: number }
  /** Kept for inspection and replay. */
  | { kind: 'dead'; keepMs: number }
  /** The record is removed. */
  | { kind: 'forget' }

/** A record that wants attention. Only a hint: `claim` or `postpone` decides who gives it. */
export interface DueRecord {
  /** Key of the record. */
  key: string
  /** Why it is due: a worker's lease ran out, its next try is scheduled for now, or its job should be polled. */
  reason: 'lease_expired' | 'retry' | 'poll'
  /** How often the record was postponed. */
  polls: number
  /** Milliseconds since the record was made. */
  ageMs: number
  /** The caller's own JSON; undefined when there is none. */
  context: unknown
}

/** A record, for people and tools. */
export interface InboxRecord {
  /** Key of the record. */
  key: string
  /** Where the record stands. */
  state: RecordState
  /** `fence` of the last lease; 0 when there was none. */
  fence: number
  /** `attempt` of the last lease; 0 when there was none. */
  attempt: number
  /** How often the record was postponed. */
  polls: number
  /** Milliseconds since the record was created. */
  ageMs: number
  /** Milliseconds until it is due; negative when overdue. For `done` and `dead`: until it is forgotten. */
  dueInMs: number
  /** The reference in the callback URL of the job, when there is one. */
  ref: string | undefined
  /** The caller's own JSON; undefined when there is none. */
  context: unknown
  /** Dropped when the record is done. */
  payload: unknown
  /** The error of the last failure; undefined when there was none. */
  lastError: string | undefined
}

/**
 * Where an inbox keeps its records. Every change is one atomic step on the store's own clock. `testInboxStore` in
 * `modelrun/webhooks/testing` checks an implementation.
 *
 * Keys and references are any text of up to 256 characters; payload and context are any JSON, given back as a copy.
 * Milliseconds may be fractions. A method rejects when the store fails: its change has then happened, or it has not.
 */
export interface InboxStore {
  /** What the store promises; the inbox checks it when it starts. */
  readonly guarantees: StoreGuarantees
  /** Creates what the store needs; does nothing when it is there. */
  migrate(): Promise<void>
  /** Makes a record in state `expected`; leaves one that is there as it is, but for a missing `ref` or `context`. */
  expect(key: string, expectation: Expectation): Promise<void>
  /** Binds a reference to the first key that asks, for `keepMs` from then on, and gives the key that it is bound to. */
  bind(ref: string, key: string, keepMs: number): Promise<string>
  /**
   * Takes a record that is new, `expected`, or `retry` or `leased` and due. A `dead` record without a payload is taken
   * by a claim with one. A claim without a payload never makes a record: it finds `done`.
   */
  claim(key: string, request: ClaimRequest): Promise<ClaimResult>
  /** Makes a lease end `leaseMs` from now. False: it is lost. One that ran out is lost once somebody else has taken it. */
  extend(lease: Lease, leaseMs: number): Promise<boolean>
  /**
   * Ends a lease with success; the payload is dropped, and the record forgotten after `keepMs`. Asked again with the
   * same lease, it is `ok` again. `tx`: the caller's transaction, for stores that are transactional; when the answer
   * is `lost`, the caller rolls back.
   */
  complete(lease: Lease, options: { keepMs: number; tx?: unknown }): Promise<'ok' | 'lost'>
  /** Ends a lease without success. The error is kept until there is a newer one. */
  release(lease: Lease, next: NextStep, error?: string): Promise<'ok' | 'lost'>
  /**
   * Records that are due, the longest overdue first. Forgets finished ones whose time is over, some at a time. `work`:
   * leases that ran out and retries; `poll`: what is expected. They are asked for apart, so that many of one do not hide
   * the other.
   */
  due(limit: number, kind: 'work' | 'poll'): Promise<DueRecord[]>
  /** Moves a record of state `expected` on, unless somebody else did since `due` told `polls`: then false. */
  postpone(key: string, polls: number, next: NextStep, error?: string): Promise<boolean>
  /** The record of a key; undefined when there is none. Changes nothing. */
  get(key: string): Promise<InboxRecord | undefined>
  /**
   * Records of one state, the one that was made first comes first. `after` is the last key of the page before, whatever
   * its state is now; when that record has been forgotten, the list starts anew.
   */
  list(state: RecordState, options: { limit: number; after?: string | undefined }): Promise<InboxRecord[]>
  /**
   * Makes a `dead` record due now: `retry` when it has a payload, else `expected`; attempts and polls start anew. False:
   * there is none.
   */
  replay(key: string): Promise<boolean>
}
