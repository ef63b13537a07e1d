import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { ConfigurationError } from '../../errors/local-errors.ts'
import { nodeBuiltin } from '../../node-builtin.ts'

/** A statement that has been prepared. */
interface Statement {
  all(...values: SQLInputValue[]): Record<string, SQLOutputValue>[]
}

/** A database file that is open. */
export interface SqliteDatabase {
  exec(sql: string): void
  /** Prepares a statement once. */
  prepare(sql: string): Statement
  /** Whether the changes that follow wait until they are on the disk, or only until they outlive the process. */
  syncEachChange(isOn: boolean): void
  /** Runs work that no other process comes between. */
  transaction<T>(work: () => T): T
  close(): void
}

export function openSqlite(path: string, busyTimeoutMs: number): SqliteDatabase {
  const database = open(path, busyTimeoutMs)
  const statements = new Map<string, Statement>()
  let isSyncing = true
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = statements.get(sql) ?? prepare(database, sql)
      statements.set(sql, statement)
      return statement
    },
    syncEachChange: (isOn) => {
      if (isOn !== isSyncing) database.exec(`PRAGMA synchronous = ${isOn ? 'FULL' : 'NORMAL'}`)
      isSyncing = isOn
    },
    transaction: (work) => {
      // IMMEDIATE waits for its turn before it reads: nobody writes between what it reads and what it writes.
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        rollBack(database)
        throw error
      }
    },
    close: () => database.close(),
  }
}

function open(path: string, busyTimeoutMs: number): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  try {
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${Math.ceil(busyTimeoutMs)}; PRAGMA synchronous = FULL`)
    database.exec('PRAGMA journal_mode = WAL')
    return database
  } catch (cause) {
    const reason = messageOf(cause)
    const message = `createSqliteStore cannot open ${JSON.stringify(path)}: ${reason}. Its folder must exist and be writable.`
    throw new ConfigurationError({ message, cause })
  }
}

/** Not imported: Node before 22.13 would fail to load this file, and say nothing that helps. */
function loadSqlite(): typeof import('node:sqlite') {
  const sqlite = nodeBuiltin('node:sqlite')
  if (sqlite !== undefined) return sqlite
  throw new ConfigurationError({
    message:
      'createSqliteStore needs `node:sqlite`, which this runtime does not have. Use Node 22.13 or newer (22.12 has it behind --experimental-sqlite), or another store.',
  })
}

function prepare(database: DatabaseSync, sql: string): Statement {
  try {
    return database.prepare(sql)
  } catch (cause) {
    if (!messageOf(cause).includes('no such table')) throw cause
    throw new ConfigurationError({
      message: 'The SQLite store of the inbox has no tables yet. Call `await store.migrate()` once first.',
      cause,
    })
  }
}

/** SQLite has rolled back by itself after some errors; then there is nothing left to do. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // The error that led here says more.
  }
}

/** Not by `instanceof`: under Jest, errors of Node come from another realm. */
function messageOf(error: unknown): string {
  const isLikeError = typeof error === 'object' && error !== null && 'message' in error
  return String(isLikeError ? error.message : error)
}
