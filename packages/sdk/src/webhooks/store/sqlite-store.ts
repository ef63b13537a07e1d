/**
 * An inbox store in a file: durable, for one or several processes on one machine.
 *
 * @module
 */
import type { SQLInputValue } from 'node:sqlite'
import { isText, needs, notNegative, text } from '../../arguments/checks.ts'
import { type Checks, readOptions } from '../../arguments/read-options.ts'
import type { InboxStore } from './inbox-store.ts'
import { decodeText, encodeText, type Row, readNumber, readRecord, readText } from './record-columns.ts'
import { openSqlite } from './sqlite-database.ts'
import { SQL } from './sqlite-statements.ts'
import { createStepStore, type Found, type RecordTable } from './step-store.ts'
import type { StoredRecord } from './stored-record.ts'

/** Options of `createSqliteStore`. */
export interface SqliteStoreOptions {
  /** The file, which is made when there is none. It must be on a disk of this machine, not on a network share. */
  path: string
  /** Stores of different namespaces in one file do not see each other. Default `modelrun`. */
  namespace?: string | undefined
  /** How long a change waits for those of other processes, in milliseconds. The process does nothing else then. Default 5,000. */
  busyTimeoutMs?: number | undefined
}

/** An inbox store that holds a file open. */
export interface SqliteStore extends InboxStore {
  /** Closes the file. The store cannot be used any more. */
  close(): void
  [Symbol.dispose](): void
}

const SQLITE_OPTIONS = /* @__PURE__ */ ((): Checks<SqliteStoreOptions> => ({
  path: needs("the path of a file, like 'inbox.db'", isText),
  namespace: text,
  busyTimeoutMs: notNegative,
}))()

/**
 * An inbox store on `node:sqlite`, which Node has from 22.13 on. Call `migrate()` once before its first use. A
 * delivery that it has taken is on the disk, even when the power fails; of what became of deliveries, the last moments
 * may be lost then, and their handlers run again.
 *
 * @throws ConfigurationError when an option is wrong, this runtime has no `node:sqlite`, or the file cannot be opened
 *
 * @example
 * const store = createSqliteStore({ path: 'inbox.db' })
 * await store.migrate()
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const given = readOptions('createSqliteStore', options, SQLITE_OPTIONS)
  const { path, namespace = 'modelrun', busyTimeoutMs = 5_000 } = given
  const database = openSqlite(path, busyTimeoutMs)
  const ns = encodeText(namespace)

  const rows = (sql: string, ...values: SQLInputValue[]): Row[] => database.prepare(sql).all(ns, ...values)
  const found = (result: readonly Row[]): Found => ({
    now: result[0] === undefined ? 0 : readNumber(result[0], 'now'),
    records: result.map(readRecord),
  })

  function find(key: string): { now: number; before: StoredRecord | undefined } {
    const [row = {}] = rows(SQL.find, encodeText(key))
    return { now: readNumber(row, 'now'), before: row.key === null ? undefined : readRecord(row) }
  }

  const table: RecordTable = {
    guarantees: { durable: path !== ':memory:', shared: path !== ':memory:', transactional: false },
    migrate: () => database.transaction(() => database.exec(SQL.migrate)),
    change: (key, step, urgency) => {
      database.syncEachChange(urgency === 'urgent')
      return database.transaction(() => {
        const { now, before } = find(key)
        const { result, after } = step(before, now)
        if (after === undefined) rows(SQL.remove, encodeText(key))
        else if (after !== before) rows(SQL.write, ...toColumns(after))
        return result
      })
    },
    bind: (ref, key, keepMs) => {
      database.syncEachChange(true)
      const [row = {}] = rows(SQL.bind, encodeText(ref), encodeText(key), keepMs)
      return decodeText(readText(row, 'key') ?? '')
    },
    due: (limit, kind) => {
      rows(SQL.forgetRecords)
      rows(SQL.forgetBindings)
      return found(rows(kind === 'poll' ? SQL.duePolls : SQL.dueWork, limit))
    },
    get: (key) => {
      const { now, before } = find(key)
      return { now, records: before === undefined ? [] : [before] }
    },
    list: (state, { limit, after = '' }) => found(rows(SQL.list, state, encodeText(after), limit)),
  }
  const { close } = database
  return { ...createStepStore(table), close, [Symbol.dispose]: close }
}

/** In the order of `RECORD_COLUMNS`. */
function toColumns(record: StoredRecord): SQLInputValue[] {
  const text = (value: string | undefined) => (value === undefined ? null : encodeText(value))
  return [
    encodeText(record.key),
    record.state,
    text(record.owner),
    record.fence,
    record.attempt,
    record.polls,
    record.createdAt,
    record.dueAt,
    text(record.ref),
    record.context ?? null,
    record.payload ?? null,
    text(record.fingerprint),
    text(record.lastError),
  ]
}
