/**
 * The engine for those who have Postgres: any number of processes and machines.
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
   * Runs one statement with any client, outside of transactions.
   *
   * - pg: `(text, values) => pool.query(text, values)`
   * - postgres: `(text, values) => sql.unsafe(text, values)`
   */
  query: PostgresQuery
}

/**
 * An engine in Postgres 12 or newer. Locks are by the clock of the database. No statement waits for a transaction of
 * others: one that stays open stops nothing.
 *
 * @throws ConfigurationError when `query` is not a function
 *
 * @example
 * const pool = new pg.Pool()
 * pool.on('error', () => {}) // else a restart of the database ends the process
 * const engine = createPostgresEngine({ query: (text, values) => pool.query(text, values) })
 * await engine.setup()
 */
export function createPostgresEngine({ query, ...options }: PostgresEngineOptions): Engine {
  if (typeof query !== 'function') {
    throw new ConfigurationError({ message: 'createPostgresEngine needs query: a function (text, values) => rows.' })
  }
  return createTableEngine(new PostgresTable(query), options)
}
