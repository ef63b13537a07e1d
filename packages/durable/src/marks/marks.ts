/**
 * Effects that happen once, although a handler runs twice: a mark in the user's own database, in the transaction of the effect.
 * Works with every engine, and in handlers of webhooks.
 *
 * @module
 */

import { type Checks, checkEach, isText, must, needs, readOptions } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { isMissingTable } from '../postgres/postgres-connection.ts'
import { type Clients, DIALECTS, type Dialect, noTransaction, type Value, wrongClient } from './dialects.ts'

/** Options of `createMarks`. */
export interface MarksOptions {
  /** The table, with or without its schema. Default `modelrun_marks`. */
  table?: string | undefined
}

/** Marks in a database: one row for each effect that was made, with `id` and `marked_at`. */
export interface Marks<Database extends 'postgres' | 'mysql'> {
  /** Creates the table. Safe to repeat, and from many processes at once. Outside of transactions. */
  setup(client: Clients[Database]): Promise<void>
  /**
   * Marks a key. Call it first in the transaction that writes the effect.
   *
   * Waits while another open transaction has marked the key. Returns `false` when that transaction commits, and `true` when it
   * rolls back.
   *
   * @param transaction the client of the open transaction
   * @param key name of the effect, such as `email:` and the id of a job. Up to 2,048 bytes; compared byte by byte
   * @returns `true` for the first transaction of this key; `false` when the effect exists already
   * @throws ConfigurationError when the key is wrong, the table is missing, or the client is not in a transaction (as far as
   * this can be checked)
   */
  mark(transaction: Clients[Database], key: string): Promise<boolean>
  /**
   * Removes marks that are older, by the clock of the database. A handler that runs again afterwards makes its effect again:
   * store marks for longer than their tasks can run again.
   */
  clean(client: Clients[Database], olderThanMs: number): Promise<void>
}

/**
 * Marks in a SQLite file. Its methods are those of {@link Marks} without promises: while a transaction of SQLite waits, other code
 * of the process could write into it. `BEGIN IMMEDIATE` waits for other processes.
 */
interface SqliteMarks {
  setup(database: Clients['sqlite']): void
  mark(database: Clients['sqlite'], key: string): boolean
  clean(database: Clients['sqlite'], olderThanMs: number): void
}

const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,59}\.)?[a-z_][a-z0-9_]{0,59}$/i

/** Maximum size of a primary key in Postgres and MySQL, in bytes. Task ids are shorter. */
const LONGEST_KEY = 2_048

/**
 * Creates marks for `postgres` (12 or newer), `mysql` (MySQL 5.7, MariaDB 10.2) or `sqlite` (3.24), whose methods are synchronous.
 *
 * A second run waits for the transaction of the first, and can fail: in Postgres with SQLSTATE 40001 at `REPEATABLE READ` and
 * `SERIALIZABLE`; in MySQL with error 1205 after `innodb_lock_wait_timeout`, and with 1213 when the first of several transactions
 * rolls back. The next attempt succeeds.
 *
 * @throws ConfigurationError when there is no such database, or when `table` is not a plain name
 *
 * @example
 * const marks = createMarks('postgres')
 * await marks.setup(pool)
 * await client.query('BEGIN')
 * if (await marks.mark(client, run.key)) await client.query('INSERT INTO posters …')
 * await client.query('COMMIT')
 */
export function createMarks(database: 'sqlite', options?: MarksOptions): SqliteMarks
export function createMarks<Database extends 'postgres' | 'mysql'>(
  database: Database,
  options?: MarksOptions,
): Marks<Database>
export function createMarks<Database extends keyof Clients>(database: Database, options: MarksOptions = {}): unknown {
  checkEach('createMarks', { database }, { database: needs(`one of ${NAMES.join(', ')}`, isName) })
  // The table has the dialect of each client.
  const dialect = DIALECTS[database] as Dialect<unknown> as Dialect<Clients[Database]>
  const table = quoteTable(options, dialect.quote)
  const run = (client: Clients[Database], text: string, values: Value[] = []) => {
    const result = dialect.run(client, text, values)
    if (result === undefined) throw wrongClient(client, dialect.clients)
    return result
  }
  const perform = database === 'sqlite' ? performNow : performLater
  return {
    setup: (client: Clients[Database]) =>
      perform(table, { work: () => run(client, dialect.setup(table)), read: noResult }),
    mark(transaction: Clients[Database], key: string) {
      const work = () => {
        const hint = dialect.transactionHint(transaction)
        if (hint !== undefined) throw noTransaction(hint)
        checkEach('marks.mark', { key }, ARGUMENTS)
        return run(transaction, dialect.insert(table), [dialect.keyOf(key)])
      }
      const remove = (where: string) => run(transaction, `DELETE FROM ${table} WHERE ${where}`, [dialect.keyOf(key)])
      return perform(table, { work, read: (result) => dialect.hasInserted(result, remove) })
    },
    clean(client: Clients[Database], olderThanMs: number) {
      const work = () => {
        checkEach('marks.clean', { olderThanMs }, ARGUMENTS)
        return run(client, dialect.remove(table), [olderThanMs])
      }
      return perform(table, { work, read: noResult })
    },
  }
}

interface Statement<Result> {
  work(): unknown
  read(result: unknown): Result
}

const noResult = () => undefined

function performNow<Result>(table: string, { work, read }: Statement<Result>): Result {
  try {
    return read(work())
  } catch (error) {
    throw explained(error, table)
  }
}

/** Errors of the arguments are those of the promise. */
async function performLater<Result>(table: string, { work, read }: Statement<Result>): Promise<Result> {
  try {
    return read(await work())
  } catch (error) {
    throw explained(error, table)
  }
}

const NAMES = Object.keys(DIALECTS)
const isName = (value: unknown) => NAMES.some((name) => name === value)

const OPTIONS: Checks<MarksOptions> = {
  table: must(
    'a name of at most 60 letters, digits and _, with or without a schema before a dot',
    (value) => typeof value === 'string' && TABLE_NAME.test(value),
  ),
}

function quoteTable(options: MarksOptions, quote: string): string {
  const { table = 'modelrun_marks' } = readOptions('createMarks', options, OPTIONS)
  return table
    .split('.')
    .map((part) => `${quote}${part}${quote}`)
    .join('.')
}

const ARGUMENTS = {
  key: needs(
    `a text of 1 to ${LONGEST_KEY} bytes, without NUL and halves of characters (use a hash of what is longer)`,
    (value) => isText(value) && !/[\0\p{Cs}]/u.test(String(value)) && Buffer.byteLength(String(value)) <= LONGEST_KEY,
  ),
  olderThanMs: needs('milliseconds above 0', (value) => Number.isFinite(value) && Number(value) > 0),
}

function explained(error: unknown, table: string): unknown {
  if (!isMissingTable(error)) return error
  const message = `The table of marks, ${table}, does not exist. Call \`setup\` of the marks once first.`
  return new ConfigurationError({ message, cause: error })
}
