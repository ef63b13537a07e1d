/**
 * The engine on a SQLite file, for any number of processes on one machine.
 *
 * @module
 */
import { type Checks, needs, notNegative, readOptions } from '@modelrun/kit'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, TABLE_ENGINE_OPTIONS, type TableEngineOptions } from '../engine/table-engine.ts'
import { openDatabase } from './sqlite-database.ts'
import { createSqliteTable } from './sqlite-table.ts'

/** Options of `createSqliteEngine`. */
export interface SqliteEngineOptions extends TableEngineOptions {
  /**
   * Path of the file, on a disk of this machine. A missing file is created, with mode 600: only its owner can read it. `:memory:`
   * stores nothing on disk.
   */
  path: string
  /** How long a change waits for changes of other processes, in milliseconds, before it fails. Default 5,000. */
  busyTimeoutMs?: number | undefined
}

/** SQLite would take a URL, of which the checks of the file know nothing. */
const isPath = (path: unknown) => typeof path === 'string' && /^(?!file:)./s.test(path)

const OPTIONS: Checks<SqliteEngineOptions> = {
  path: needs("the path of a file without `file:`, or ':memory:'", isPath),
  busyTimeoutMs: notNegative,
  ...TABLE_ENGINE_OPTIONS,
}

/**
 * Creates an engine on `node:sqlite` (Node 22.13 or newer). New tasks and locks are on the disk before they count, so that no
 * run is sent twice after a power failure. Locks and delays use the clock of the machine: a clock that is
 * set back makes delayed tasks wait for as long, one that is set forward ends locks early.
 *
 * @throws ConfigurationError when an option is wrong, this runtime has no `node:sqlite`, or the file cannot be opened
 *
 * @example
 * const engine = createSqliteEngine({ path: 'runs.db' })
 * await engine.setup()
 */
export function createSqliteEngine(options: SqliteEngineOptions): Engine {
  const { path, busyTimeoutMs = 5_000, ...rest } = readOptions('createSqliteEngine', options, OPTIONS)
  const closing = new AbortController()
  const onLost = () => closing.abort(new Error('The file of the SQLite engine is lost.'))
  return createTableEngine(createSqliteTable(openDatabase(path, busyTimeoutMs, onLost)), rest, closing)
}
