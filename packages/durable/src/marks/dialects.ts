import { hasMethods, kindOf, memberOf, numberIn } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import type { AnyClient } from '../postgres/postgres-connection.ts'
import { isPgPool, queryOf, readRows, transactionStatus, wrongRows } from '../postgres/postgres-connection.ts'

/** A parameter of a statement. */
export type Value = string | number

/** An open database of `node:sqlite`, better-sqlite3 or `bun:sqlite`. */
interface SqliteClient {
  prepare(sql: string): { run(...values: Value[]): { changes: number | bigint } }
}

/** Resolves to the number of changed rows, to an object with `affectedRows`, or to a list whose first entry is such an object. */
type MysqlQuery = (text: string, values: Value[]) => PromiseLike<unknown>

/**
 * The clients of each database.
 *
 * - Postgres: of pg after `BEGIN`, not the pool; of postgres, what `sql.begin` gives to its callback
 * - MySQL, MariaDB: the connection of mysql2/promise or mariadb after `beginTransaction()`, not the pool
 * - both: a function that runs a statement in the transaction; for Postgres it resolves to rows, for MySQL to how many changed
 * - SQLite: an open database of `node:sqlite`, better-sqlite3 or `bun:sqlite`
 */
export interface Clients {
  postgres: AnyClient
  mysql: MysqlQuery | { execute(text: string, values: Value[]): PromiseLike<unknown> }
  sqlite: SqliteClient
}

/** The statements of marks in one database, and how its clients run them. */
export interface Dialect<Client> {
  readonly quote: string
  /** Creates the table, also from several processes at once. */
  setup(table: string): string
  /** Inserts a mark, or changes nothing. */
  insert(table: string): string
  remove(table: string): string
  /** The key as the parameter of `insert`. */
  keyOf(key: string): Value
  /** Runs a statement; `undefined` when the client cannot. A promise, except for SQLite. */
  run(client: Client, text: string, values: Value[]): unknown
  /** The clients that can. */
  readonly clients: string
  /** Whether `insert` has inserted a mark, from the result of the client. One that is rejected is removed. */
  hasInserted(result: unknown, remove: (where: string) => unknown): boolean | Promise<boolean>
  /** What to do for a transaction, when the client shows that it has none. */
  transactionHint(client: unknown): string | undefined
}

export const DIALECTS: { readonly [Name in keyof Clients]: Dialect<Clients[Name]> } = {
  postgres: {
    quote: '"',
    // One statement, because some clients take only one. The lock, because IF NOT EXISTS can fail in two sessions at once.
    setup: (table) => `DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('modelrun marks ${table}'));
      CREATE TABLE IF NOT EXISTS ${table} (id text COLLATE "C" PRIMARY KEY, marked_at float8 NOT NULL);
    END $$`,
    insert: (table) =>
      `INSERT INTO ${table} (id, marked_at) VALUES ($1, (extract(epoch FROM now()) * 1000)::float8) ON CONFLICT DO NOTHING RETURNING id`,
    remove: (table) => `DELETE FROM ${table} WHERE marked_at < (extract(epoch FROM now()) * 1000)::float8 - $1::float8`,
    keyOf: (key) => key,
    run: (client, text, values) => queryOf(client)?.(text, values),
    clients: 'a client of pg or postgres, or a function (text, values) => rows',
    hasInserted(result) {
      const [row] = readRows(result)
      if (row !== undefined && memberOf(row, 'id') === undefined)
        throw wrongRows('returns more than the rows of a change')
      return row !== undefined
    },
    transactionHint(client) {
      if (isPgPool(client)) return 'This is a pool: use `await pool.connect()`, and its BEGIN.'
      if (hasMethods(client, 'begin')) return 'Use the `sql` that `sql.begin` gives to its callback.'
      return transactionStatus(client) === 'I' ? "Call `await client.query('BEGIN')` before." : undefined
    },
  },
  mysql: {
    quote: '`',
    // Bytes: texts that differ only in case or trailing spaces would be equal.
    setup: (table) =>
      `CREATE TABLE IF NOT EXISTS ${table} (id VARBINARY(2048) NOT NULL PRIMARY KEY, marked_at BIGINT NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
    // IGNORE, because clients count rows of ON DUPLICATE KEY differently; hex, because connections have different charsets.
    insert: (table) => `INSERT IGNORE INTO ${table} (id, marked_at) VALUES (UNHEX(?), UNIX_TIMESTAMP(NOW(3)) * 1000)`,
    remove: (table) => `DELETE FROM ${table} WHERE marked_at < UNIX_TIMESTAMP(NOW(3)) * 1000 - ?`,
    keyOf: (key) => Buffer.from(key).toString('hex'),
    run(client, text, values) {
      if (typeof client === 'function') return client(text, values)
      return hasMethods(client, 'execute') ? client.execute(text, values) : undefined
    },
    clients: 'a connection of mysql2/promise or mariadb, or a function (text, values) => changed rows',
    async hasInserted(result, remove) {
      const header: unknown = Array.isArray(result) ? result[0] : result
      const changed = typeof header === 'number' ? header : numberIn(header, 'affectedRows')
      if (changed === undefined) {
        const message = `The query function of the marks gave ${typeof header}. It must resolve to how many rows were changed, or to the result of mysql2.`
        throw new ConfigurationError({ message })
      }
      // Its first bit: a transaction is open.
      if (((numberIn(header, 'serverStatus') ?? 1) & 1) !== 0) return changed > 0
      if (changed > 0) await remove('id = UNHEX(?)')
      throw noTransaction('Call `await connection.beginTransaction()` before.')
    },
    transactionHint: (client) =>
      hasMethods(client, 'getConnection')
        ? 'This is a pool: use `await pool.getConnection()`, and its beginTransaction().'
        : undefined,
  },
  sqlite: {
    quote: '"',
    setup: (table) =>
      `CREATE TABLE IF NOT EXISTS ${table} (id TEXT NOT NULL PRIMARY KEY, marked_at INTEGER NOT NULL) WITHOUT ROWID`,
    // The time of every version of SQLite.
    insert: (table) =>
      `INSERT INTO ${table} (id, marked_at) VALUES (?, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)) ON CONFLICT DO NOTHING`,
    remove: (table) =>
      `DELETE FROM ${table} WHERE marked_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - ?`,
    keyOf: (key) => key,
    run: (client, text, values) => (hasMethods(client, 'prepare') ? client.prepare(text).run(...values) : undefined),
    clients: 'a database of node:sqlite, better-sqlite3 or bun:sqlite',
    hasInserted: (result) => Number(memberOf(result, 'changes')) > 0,
    transactionHint(client) {
      const isOpen = memberOf(client, 'isTransaction') ?? memberOf(client, 'inTransaction')
      return isOpen === false ? 'Call `BEGIN` before.' : undefined
    },
  },
}

export function wrongClient(client: unknown, expected: string): ConfigurationError {
  return new ConfigurationError({ message: `Marks need ${expected}. They got ${kindOf(client).toLowerCase()}.` })
}

export function noTransaction(hint: string): ConfigurationError {
  const message = `mark() needs the client of an open transaction, or the mark counts without its effect. ${hint}`
  return new ConfigurationError({ message })
}
