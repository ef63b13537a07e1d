import { ConfigurationError } from '../../errors/local-errors.ts'
import type { Row } from './record-columns.ts'

/** A parameter of a statement. */
export type PostgresValue = string | number | boolean | null

/** Runs one statement, and resolves to its rows, or to an object that has them as `rows`. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => PromiseLike<unknown>

/** Runs one statement and gives its rows. */
export type QueryRows = (text: string, values: readonly PostgresValue[]) => Promise<readonly Row[]>

export function queryRows(query: PostgresQuery): QueryRows {
  return async (text, values) => readRows(await query(text, [...values]).then(undefined, explain))
}

/** The caller's transaction: its client, or a function like the option `query`. */
export function transactionRows(tx: unknown): QueryRows {
  if (typeof tx === 'function') return queryRows((text, values) => tx(text, values))
  if (hasQuery(tx)) return queryRows((text, values) => tx.query(text, values))
  throw new ConfigurationError({
    message:
      'The `tx` of `complete` is no transaction of Postgres. Give the client that began it, which has a method `query`, or a function (text, values) => rows.',
  })
}

function hasQuery(tx: unknown): tx is { query: PostgresQuery } {
  return typeof tx === 'object' && tx !== null && 'query' in tx && typeof tx.query === 'function'
}

function readRows(result: unknown): readonly Row[] {
  if (Array.isArray(result)) return result
  if (typeof result === 'object' && result !== null && 'rows' in result && Array.isArray(result.rows))
    return result.rows
  throw new ConfigurationError({
    message: `The query function of the Postgres store gave ${result === null ? 'null' : typeof result}. It must resolve to a list of rows, or to an object that has them as \`rows\`.`,
  })
}

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01'

function explain(cause: unknown): never {
  const isMissing = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === UNDEFINED_TABLE
  if (!isMissing) throw cause
  throw new ConfigurationError({
    message: 'The Postgres store of the inbox has no table yet. Call `await store.migrate()` once first.',
    cause,
  })
}
