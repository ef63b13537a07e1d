/**
 * The engine for one machine: a SQLite file that several processes may open.
 *
 * @module
 */
import { ConfigurationError } from 'modelrun'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, type TableEngineOptions } from '../engine/table-engine.ts'
import { SqliteTable } from './sqlite-table.ts'

/** Options of `createSqliteEngine`. */
export interface SqliteEngineOptions extends TableEngineOptions {
  /** The file, which is created when there is none. On a disk of this machine. `:memory:` keeps nothing. */
  path: string
  /** How long a change waits for those of other processes, in milliseconds, until it fails. Default 5,000. */
  busyTimeoutMs?: number | undefined
}

/**
 * An engine on `node:sqlite`, which Node has from 22.13 on. A task that was added, and a lock, are on the disk when they
 * count, so that a power failure makes no run twice. Locks are by the clock of the machine.
 *
 * @throws ConfigurationError when an option is wrong, this runtime has no `node:sqlite`, or the file cannot be opened
 *
 * @example
 * const engine = createSqliteEngine({ path: 'runs.db' })
 * await engine.setup()
 */
export function createSqliteEngine(options: SqliteEngineOptions): Engine {
  const { path, busyTimeoutMs = 5_000, ...rest } = options
  if (typeof path !== 'string' || path === '') {
    throw new ConfigurationError({ message: "createSqliteEngine needs path: a file, like 'runs.db', or ':memory:'." })
  }
  return createTableEngine(new SqliteTable(path, busyTimeoutMs), rest)
}
