import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { ConfigurationError } from 'modelrun'
import { WriteGroup } from './write-group.ts'

export type Row = Record<string, SQLOutputValue>
export type Values = Record<string, SQLInputValue>

/** A database file that is open. */
export interface Database {
  exec(sql: string): void
  rows(sql: string, values?: Values): Row[]
  /**
   * Runs work that no other process comes between. With `toDisk` it is on the disk when this resolves, also when the
   * power fails afterwards; without, it outlives the process. The work of one turn of the event loop is one transaction.
   * While another process has the file, it tries again.
   */
  transaction<T>(options: { toDisk: boolean }, work: () => T): Promise<T>
  close(): void
}

/** How long one try waits for another process. The event loop stands still meanwhile. */
const TRY_MS = 20
/** How long opening waits for others that open the file, too. */
const OPEN_MS = 5_000
const LONGEST_PAUSE_MS = 100
const SQLITE_BUSY = 5

/** @throws ConfigurationError when this runtime has no `node:sqlite`, or the file cannot be opened */
export function openDatabase(path: string, busyTimeoutMs: number): Database {
  const database = open(path)
  const statements = new Map<string, StatementSync>()
  let isToDisk: boolean | undefined
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? prepareStatement(database, sql)
    statements.set(sql, statement)
    return statement
  }
  const group = new WriteGroup(({ toDisk }, work) =>
    untilFree(busyTimeoutMs, () => {
      if (toDisk !== isToDisk) database.exec(`PRAGMA synchronous = ${toDisk ? 'FULL' : 'NORMAL'}`)
      isToDisk = toDisk
      return inTransaction(database, work)
    }),
  )
  return {
    exec: (sql) => database.exec(sql),
    rows: (sql, values = {}) => prepare(sql).all(values),
    transaction: ({ toDisk }, work) => group.add(toDisk, work),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** Repeats what finds the file busy, and lets the process do other things in between. */
async function untilFree<T>(busyTimeoutMs: number, work: () => T): Promise<T> {
  const giveUpAt = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = Object(error).errcode === SQLITE_BUSY
      if (!isBusy || performance.now() > giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS))
    }
  }
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE waits for its turn before it reads: no process writes between what it reads and what it writes.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function open(path: string): DatabaseSync {
  const sqlite = globalThis.process?.getBuiltinModule?.('node:sqlite')
  if (sqlite === undefined) {
    const message = 'createSqliteEngine needs `node:sqlite`. Use Node 22.13 or newer, or another engine.'
    throw new ConfigurationError({ message })
  }
  try {
    const database = new sqlite.DatabaseSync(path, { timeout: OPEN_MS })
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = ${TRY_MS}`)
    return database
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `createSqliteEngine cannot open ${JSON.stringify(path)}: ${reason}. Its folder must exist and be writable.`
    throw new ConfigurationError({ message, cause })
  }
}

function prepareStatement(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql)
  } catch (cause) {
    if (!String(cause).includes('no such table')) throw cause
    const message = 'The SQLite engine has no tables yet. Call `await engine.setup()` once first.'
    throw new ConfigurationError({ message, cause })
  }
}
