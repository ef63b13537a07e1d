import type { InboxStore, RecordState, StoreGuarantees } from './inbox-store.ts'
import {
  claimStep,
  completeStep,
  expectStep,
  extendStep,
  postponeStep,
  releaseStep,
  replayStep,
  type Step,
} from './record-steps.ts'
import { type StoredRecord, toDueRecord, toInboxRecord, wholeMs } from './stored-record.ts'

/** Records, and the time on the store's clock at which they were read. */
export interface Found {
  now: number
  records: readonly StoredRecord[]
}

/** The part of a store that looks at a record and writes it in one atomic step, without waiting in between. */
export interface RecordTable {
  readonly guarantees: StoreGuarantees
  migrate(): void
  /** `urgent`: what it stores must outlive a power failure. Of the rest, a table may lose the last moments then. */
  change<T>(key: string, step: Step<T>, urgency?: 'urgent'): T
  bind(ref: string, key: string, keepMs: number): string
  due(limit: number, kind: 'work' | 'poll'): Found
  get(key: string): Found
  list(state: RecordState, options: { limit: number; after?: string | undefined }): Found
}

/**
 * An inbox store on such a table. Its methods are async, so that a table that throws makes them reject. What nobody would
 * tell again is urgent; without the end of a lease that was lost, the handler runs once more.
 */
export function createStepStore(table: RecordTable): InboxStore {
  return {
    guarantees: table.guarantees,
    migrate: async () => table.migrate(),
    expect: async (key, expectation) => table.change(key, expectStep(key, expectation), 'urgent'),
    bind: async (ref, key, keepMs) => table.bind(ref, key, wholeMs(keepMs)),
    claim: async (key, request) => table.change(key, claimStep(key, request), 'urgent'),
    extend: async (lease, leaseMs) => table.change(lease.key, extendStep(lease, leaseMs)),
    complete: async (lease, { keepMs }) => table.change(lease.key, completeStep(lease, keepMs)),
    release: async (lease, next, error) => table.change(lease.key, releaseStep(lease, next, error)),
    due: async (limit, kind) => all(table.due(limit, kind), toDueRecord),
    postpone: async (key, ...move) => table.change(key, postponeStep(...move)),
    get: async (key) => all(table.get(key), toInboxRecord)[0],
    list: async (state, options) => all(table.list(state, options), toInboxRecord),
    replay: async (key) => table.change(key, replayStep, 'urgent'),
  }
}

function all<T>({ records, now }: Found, convert: (record: StoredRecord, now: number) => T): T[] {
  return records.map((record) => convert(record, now))
}
