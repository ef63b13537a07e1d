/**
 * The engine in a Durable Object of Cloudflare, on its SQLite storage.
 *
 * @module
 */
import { readOptions } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, TABLE_ENGINE_OPTIONS, type TableEngineOptions } from '../engine/table-engine.ts'
import { createSqliteTable } from '../sqlite/sqlite-table.ts'
import { type ObjectStorage, openObjectDatabase } from './object-database.ts'

/**
 * Creates an engine on the storage of a Durable Object whose class is under `new_sqlite_classes`. Each object has its own tasks,
 * budgets and rates. Storage confirms new tasks and marks before they count, so no run is sent twice after the object moved.
 * An object without requests is evicted with its workers: let an alarm call `runs.sweep`.
 *
 * @param storage `ctx.storage` of the object
 * @throws ConfigurationError when the storage has no SQLite, or an option is wrong
 *
 * @example
 * export class Videos extends DurableObject {
 *   engine = createDurableObjectEngine(this.ctx.storage)
 *   runs = createRuns({ engine: this.engine, client: new ModelRun(this.env) })
 * }
 */
export function createDurableObjectEngine(storage: ObjectStorage, options: TableEngineOptions = {}): Engine {
  const checked = readOptions('createDurableObjectEngine', options, TABLE_ENGINE_OPTIONS)
  if (!hasSql(storage)) {
    const message =
      'createDurableObjectEngine needs `ctx.storage` of a Durable Object with SQLite: list its class under `new_sqlite_classes` of a migration.'
    throw new ConfigurationError({ message })
  }
  return createTableEngine(createSqliteTable(openObjectDatabase(storage)), checked)
}

/** Storage without SQLite throws when its `sql` is read. */
function hasSql(storage: ObjectStorage): boolean {
  try {
    return typeof storage?.sql?.exec === 'function'
  } catch {
    return false
  }
}
