/**
 * The engine on Postgres, for any number of processes and machines.
 *
 * @module
 */
import { type Checks, must, readOptions } from '@modelrun/kit'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, TABLE_ENGINE_OPTIONS, type TableEngineOptions } from '../engine/table-engine.ts'
import type { PostgresDatabase } from './postgres-connection.ts'
import { createPostgresLink } from './postgres-link.ts'
import { createPostgresTable } from './postgres-table.ts'

export type { PostgresDatabase } from './postgres-connection.ts'

/** Options of `createPostgresEngine`. */
export interface PostgresEngineOptions extends TableEngineOptions {
  /**
   * The schema of the tables, of letters, digits and `_`. `setup()` creates it when it is missing. Applications that share a
   * database take one each. Default: the first schema of the connection's `search_path`, mostly `public`.
   */
  schema?: string | undefined
}

const OPTIONS: Checks<PostgresEngineOptions> = {
  // A longer name, or other characters, would need more than quotes.
  schema: must('a name of at most 63 letters, digits and _', (value) => /^[a-z_][a-z0-9_]{0,62}$/i.test(String(value))),
  ...TABLE_ENGINE_OPTIONS,
}

/**
 * Creates an engine on Postgres 12 or newer. Locks use the clock of the database. The engine skips rows that other transactions
 * have locked, so that an open transaction does not stop it. Changes are on the disk before they count, also where
 * `synchronous_commit` is off.
 *
 * A statement that takes longer than five seconds fails, and workers try again: a connection can be dead without a sign of it.
 * With a pool of pg, or a connection string, the engine closes such connections. `close()` closes only a pool that the engine
 * made.
 *
 * @param database a connection string, a pool of pg, `sql` of postgres, or a function that runs a statement
 * @throws ConfigurationError when `database` is none of these, or an option is wrong
 *
 * @example
 * const engine = createPostgresEngine('postgres://user:password@localhost/app')
 * await engine.setup()
 *
 * @example
 * const pool = new pg.Pool({ max: 20 })
 * pool.on('error', () => {}) // without a listener a restart of the database ends the process
 * const engine = createPostgresEngine(pool, { schema: 'posters' })
 */
export function createPostgresEngine(database: PostgresDatabase, options: PostgresEngineOptions = {}): Engine {
  const { schema, ...rest } = readOptions('createPostgresEngine', options, OPTIONS)
  return createTableEngine(createPostgresTable(createPostgresLink(database, schema), schema), rest)
}
