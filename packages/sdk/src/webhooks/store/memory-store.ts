import { having, notNegative } from '../../arguments/checks.ts'
import { type Checks, readOptions } from '../../arguments/read-options.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { InboxStore } from './inbox-store.ts'
import { createStepStore, type RecordTable } from './step-store.ts'
import type { StoredRecord } from './stored-record.ts'

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** How many finished records are kept; the one that finished first is forgotten first. Default 10,000. */
  maxFinished?: number | undefined
  /** How many unfinished records it takes. They are never forgotten: one more is refused. Default 100,000. */
  maxUnfinished?: number | undefined
  /** Where time comes from. Default: the system. */
  clock?: Pick<Clock, 'now'> | undefined
}

const MEMORY_OPTIONS: Checks<MemoryStoreOptions> = {
  maxFinished: notNegative,
  maxUnfinished: notNegative,
  clock: /* @__PURE__ */ having('a clock', 'now'),
}

/**
 * An inbox store in the memory of this process: for development, tests, and services that can ask for every result again.
 * `expect`, `claim` and `replay` reject when it is full.
 *
 * @throws ConfigurationError when an option is wrong
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): InboxStore {
  const given = readOptions('createMemoryStore', options, MEMORY_OPTIONS)
  const { maxFinished = 10_000, maxUnfinished = 100_000, clock = systemClock } = given
  const unfinished = new Map<string, StoredRecord>()
  // In the order in which they finished.
  const finished = new Map<string, StoredRecord>()
  const bindings = new Map<string, { key: string; endsAt: number }>()

  function write(key: string, record: StoredRecord | undefined): void {
    const isFinished = record?.state === 'done' || record?.state === 'dead'
    if (record !== undefined && !isFinished && !unfinished.has(key) && unfinished.size >= maxUnfinished) {
      throw new Error(
        `The memory store of the inbox is full: ${maxUnfinished} jobs are unfinished. Use a store on disk, or raise \`maxUnfinished\`.`,
      )
    }
    unfinished.delete(key)
    finished.delete(key)
    if (record !== undefined) (isFinished ? finished : unfinished).set(key, record)
    forgetOldest(finished, maxFinished)
  }

  function forget(now: number): void {
    for (const [key, { dueAt }] of finished) if (dueAt <= now) finished.delete(key)
    for (const [ref, { endsAt }] of bindings) if (endsAt <= now) bindings.delete(ref)
  }

  const find = (key: string) => unfinished.get(key) ?? finished.get(key)
  const table: RecordTable = {
    guarantees: { durable: false, shared: false, transactional: false },
    migrate: () => {},
    change: (key, step) => {
      const before = find(key)
      const { result, after } = step(before, clock.now())
      if (after !== before) write(key, after)
      return result
    },
    bind: (ref, key, keepMs) => {
      const now = clock.now()
      const bound = bindings.get(ref)
      if (bound !== undefined && bound.endsAt > now) return bound.key
      bindings.delete(ref)
      bindings.set(ref, { key, endsAt: now + keepMs })
      forgetOldest(bindings, maxFinished + maxUnfinished)
      return key
    },
    due: (limit, kind) => {
      const now = clock.now()
      forget(now)
      const isDue = ({ state, dueAt }: StoredRecord) => dueAt <= now && (state === 'expected') === (kind === 'poll')
      const due = [...unfinished.values()].filter(isDue).sort((a, b) => a.dueAt - b.dueAt)
      return { now, records: due.slice(0, limit) }
    },
    get: (key) => ({ now: clock.now(), records: [find(key) ?? []].flat() }),
    list: (state, { limit, after }) => {
      const records = [...unfinished.values(), ...finished.values()].sort(byAge)
      const last = after === undefined ? undefined : find(after)
      const rest = records.filter((record) => record.state === state && (last === undefined || byAge(record, last) > 0))
      return { now: clock.now(), records: rest.slice(0, limit) }
    },
  }
  return createStepStore(table)
}

function byAge(a: StoredRecord, b: StoredRecord): number {
  return a.createdAt - b.createdAt || (a.key < b.key ? -1 : Number(a.key !== b.key))
}

function forgetOldest(entries: Map<string, unknown>, maxSize: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= maxSize) return
    entries.delete(key)
  }
}
