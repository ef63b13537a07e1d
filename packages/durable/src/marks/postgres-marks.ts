import {
  isMissingTable,
  type PostgresQuery,
  type PostgresValue,
  type Row,
  readRows,
} from '../postgres/postgres-query.ts'
import {
  checkAge,
  checkKey,
  type MarksOptions,
  noTable,
  noTransaction,
  quoteTable,
  wrongClient,
} from './mark-checks.ts'
import type { Marks } from './marks-type.ts'

export type { PostgresQuery, PostgresValue } from '../postgres/postgres-query.ts'

/**
 * A client of Postgres.
 *
 * - pg: the client after `BEGIN`, not the pool
 * - postgres: what `sql.begin` gives to its callback
 * - any other: a function that runs a statement in the transaction, and resolves to its rows
 */
export type PostgresClient =
  | PostgresQuery
  | { query(text: string, values: PostgresValue[]): PromiseLike<unknown> }
  | { unsafe(text: string, values: PostgresValue[]): PromiseLike<unknown> }

const NOW = '(extract(epoch FROM now()) * 1000)::float8'

/**
 * Creates marks for Postgres. At `REPEATABLE READ` and `SERIALIZABLE` a second run can fail with SQLSTATE 40001 instead of
 * waiting. The next attempt succeeds.
 *
 * @throws ConfigurationError when `table` is not a plain name
 *
 * @example
 * const marks = createPostgresMarks()
 * await marks.setup(pool)
 * await client.query('BEGIN')
 * if (await marks.mark(client, run.key)) await client.query('INSERT INTO posters …')
 * await client.query('COMMIT')
 */
export function createPostgresMarks(options: MarksOptions = {}): Marks<PostgresClient> {
  const table = quoteTable(options, '"')
  // One statement, because some clients take only one. The lock, because IF NOT EXISTS can fail in two sessions at once.
  const setup = `DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('modelrun marks ${table}'));
    CREATE TABLE IF NOT EXISTS ${table} (id text COLLATE "C" PRIMARY KEY, marked_at float8 NOT NULL);
  END $$`
  const rows = async (client: PostgresClient, text: string, ...values: PostgresValue[]): Promise<readonly Row[]> => {
    try {
      return readRows(await queryOf(client)(text, values))
    } catch (error) {
      throw isMissingTable(error) ? noTable(table, error) : error
    }
  }
  return {
    async setup(client) {
      await queryOf(client)(setup, [])
    },
    async mark(transaction, key) {
      checkTransaction(transaction)
      const text = `INSERT INTO ${table} (id, marked_at) VALUES ($1, ${NOW}) ON CONFLICT DO NOTHING RETURNING id`
      return (await rows(transaction, text, checkKey(key))).length > 0
    },
    async clean(client, olderThanMs) {
      await rows(client, `DELETE FROM ${table} WHERE marked_at < ${NOW} - $1::float8`, checkAge(olderThanMs))
    },
  }
}

function queryOf(client: PostgresClient): PostgresQuery {
  // Before functions: the `sql` of postgres is one, for templates.
  if (hasMethod(client, 'unsafe')) return (text, values) => client.unsafe(text, values)
  if (typeof client === 'function') return client
  if (hasMethod(client, 'query')) return (text, values) => client.query(text, values)
  throw wrongClient(client, 'a client of pg or postgres, or a function (text, values) => rows')
}

function hasMethod<Name extends string>(
  client: PostgresClient,
  name: Name,
): client is Extract<PostgresClient, { [name in Name]: unknown }> {
  return typeof Object(client)[name] === 'function'
}

/** Rejects clients outside of a transaction: a pool, a connection of pg before `BEGIN`, `sql` outside of `sql.begin`. */
function checkTransaction(client: PostgresClient): void {
  const { totalCount, getTransactionStatus } = Object(client)
  if (totalCount !== undefined) throw noTransaction('This is a pool: use `await pool.connect()`, and its BEGIN.')
  if (hasMethod(client, 'begin')) throw noTransaction('Use the `sql` that `sql.begin` gives to its callback.')
  const isIdle = typeof getTransactionStatus === 'function' && getTransactionStatus.call(client) === 'I'
  if (isIdle) throw noTransaction("Call `await client.query('BEGIN')` before.")
}
