/**
 * The engine on Postgres, for any number of processes and machines.
 *
 * @module
 */
import { ConfigurationError } from 'modelrun'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, type TableEngineOptions } from '../engine/table-engine.ts'
import type { PostgresQuery } from './postgres-query.ts'
import { PostgresTable } from './postgres-table.ts'

export type { PostgresQuery, PostgresValue } from './postgres-query.ts'

/** Options of `createPostgresEngine`. */
export interface PostgresEngineOptions extends TableEngineOptions {
  /**
   * Runs one statement with any client, outside of a transaction.
   *
   * - pg: `(text, values) => pool.query(text, values)`
   * - postgres: `(text, values) => sql.unsafe(text, values)`
   */
  query: PostgresQuery
}

/**
 * Creates an engine on Postgres 12 or newer. Locks use the clock of the database. The engine skips rows that other transactions
 * have locked, so that an open transaction does not stop it.
 *
 * @throws ConfigurationError when `query` is not a function
 *
 * @example
 * const pool = new pg.Pool()
 * pool.on('error', () => {}) // without a listener a restart of the database ends the process
 * const engine = createPostgresEngine({ query: (text, values) => pool.query(text, values) })
 * await engine.setup()
 */
export function createPostgresEngine({ query, ...options }: PostgresEngineOptions): Engine {
  if (typeof query !== 'function') {
    throw new ConfigurationError({ message: 'createPostgresEngine needs query: a function (text, values) => rows.' })
  }
  return createTableEngine(new PostgresTable(query), options)
}
