import {
  checkAge,
  checkKey,
  type MarksOptions,
  noTable,
  noTransaction,
  quoteTable,
  wrongClient,
} from './mark-checks.ts'

/** An open database of `node:sqlite`, better-sqlite3 or `bun:sqlite`. */
export interface SqliteClient {
  /** Prepares a statement. */
  prepare(sql: string): {
    /** Runs the statement. Returns the number of changed rows. */
    run(...values: (string | number)[]): { changes: number | bigint }
  }
}

/** `Marks` without promises: while a transaction of SQLite waits, other code of the process could write into it. */
export interface SqliteMarks {
  /** Creates the table. Safe to repeat. */
  setup(database: SqliteClient): void
  /**
   * Marks a key. Call it first in the transaction that writes the effect; `BEGIN IMMEDIATE` waits for other processes.
   *
   * @param key name of the effect, such as `email:` and the id of a job. Up to 2,048 bytes
   * @returns `true` for the first transaction of this key; `false` when the effect exists already
   * @throws ConfigurationError when the key is wrong, the table is missing, or there is no transaction
   */
  mark(database: SqliteClient, key: string): boolean
  /** Removes marks that are older. A handler that runs again afterwards makes its effect again. */
  clean(database: SqliteClient, olderThanMs: number): void
}

/** Works in every version of SQLite. */
const NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

/**
 * Creates marks for a SQLite file.
 *
 * @throws ConfigurationError when `table` is not a plain name
 *
 * @example
 * const marks = createSqliteMarks()
 * marks.setup(database)
 * database.exec('BEGIN IMMEDIATE')
 * if (marks.mark(database, run.key)) database.prepare('INSERT INTO posters …').run()
 * database.exec('COMMIT')
 */
export function createSqliteMarks(options: MarksOptions = {}): SqliteMarks {
  const table = quoteTable(options, '"')
  const change = (database: SqliteClient, sql: string, ...values: (string | number)[]): number => {
    if (typeof Object(database).prepare !== 'function') {
      throw wrongClient(database, 'a database of node:sqlite, better-sqlite3 or bun:sqlite')
    }
    try {
      return Number(database.prepare(sql).run(...values).changes)
    } catch (error) {
      throw String(error).includes('no such table') ? noTable(table, error) : error
    }
  }
  return {
    setup(database) {
      const columns = 'id TEXT NOT NULL PRIMARY KEY, marked_at INTEGER NOT NULL'
      change(database, `CREATE TABLE IF NOT EXISTS ${table} (${columns}) WITHOUT ROWID`)
    },
    mark(database, key) {
      const { isTransaction, inTransaction } = Object(database)
      if ((isTransaction ?? inTransaction) === false) throw noTransaction('Call `BEGIN` before.')
      const sql = `INSERT INTO ${table} (id, marked_at) VALUES (?, ${NOW}) ON CONFLICT DO NOTHING`
      return change(database, sql, checkKey(key)) > 0
    },
    clean(database, olderThanMs) {
      change(database, `DELETE FROM ${table} WHERE marked_at < ${NOW} - ?`, checkAge(olderThanMs))
    },
  }
}
