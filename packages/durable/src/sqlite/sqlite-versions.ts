import { tooNew, VERSION_TABLE } from '../engine/table-engine.ts'
import type { Database } from './sqlite-database.ts'

/** A trigger that counts tasks: counting a million rows takes long, and blocks the event loop. */
function countOn(name: string, event: string, changes: readonly (readonly [row: string, amount: number])[]): string {
  const count = ([row, amount]: readonly [string, number]) => `
      INSERT INTO modelrun_counts (queue, state, count) VALUES (${row}.queue, ${row}.state, ${amount})
      ON CONFLICT (queue, state) DO UPDATE SET count = count + ${amount};`
  return `CREATE TRIGGER IF NOT EXISTS modelrun_tasks_${name} AFTER ${event} ON modelrun_tasks BEGIN ${changes.map(count).join('')} END;`
}

/** The statements that make each version of the tables, from the one before or from nothing. */
export const VERSIONS: readonly string[] = [
  `
      CREATE TABLE IF NOT EXISTS modelrun_tasks (
        queue TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL, result TEXT, error TEXT,
        attempts INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, fence INTEGER NOT NULL DEFAULT 0,
        due_at INTEGER NOT NULL, added_at INTEGER NOT NULL, ended_at INTEGER, seq INTEGER NOT NULL,
        PRIMARY KEY (queue, id)
      ); -- with rowid: new rows are appended to the file, also when ids are random
      CREATE INDEX IF NOT EXISTS modelrun_tasks_open ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running');
      CREATE INDEX IF NOT EXISTS modelrun_tasks_state ON modelrun_tasks (queue, state, seq);
      CREATE TABLE IF NOT EXISTS modelrun_queues (
        queue TEXT PRIMARY KEY, next_start REAL NOT NULL DEFAULT 0, paused_until INTEGER NOT NULL DEFAULT 0
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS modelrun_tallies (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS modelrun_counts (
        queue TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (queue, state)
      ) WITHOUT ROWID;
      ${countOn('added', 'INSERT', [['NEW', 1]])}
      ${countOn('removed', 'DELETE', [['OLD', -1]])}
      ${countOn('changed', 'UPDATE OF state', [
        ['OLD', -1],
        ['NEW', 1],
      ])}`,
  // Whether a run that was locked by the version before has started is unknown.
  `
    ALTER TABLE modelrun_tasks ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
    UPDATE modelrun_tasks SET started = fence WHERE state = 'running';`,
  'ALTER TABLE modelrun_tasks ADD COLUMN started_at INTEGER;',
]

/** Migrates from a version, or from nothing. For a transaction. */
export function migration(from: number): string {
  const steps = VERSIONS.map((sql, index) => `${sql}; INSERT OR IGNORE INTO ${VERSION_TABLE} VALUES (${index + 1});`)
  return [
    `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (version INTEGER PRIMARY KEY);`,
    `INSERT OR IGNORE INTO ${VERSION_TABLE} SELECT ${from} WHERE ${from} > 0;`,
    ...steps.slice(from),
  ].join('\n')
}

/** The version of the tables in a database; 0 when there are none. @throws ConfigurationError when they are newer */
export function versionIn(database: Database): number {
  const tables = database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name)
  if (!tables.includes('modelrun_tasks')) return 0
  if (!tables.includes(VERSION_TABLE)) return 1
  const [row] = database.rows(`SELECT max(version) AS version FROM ${VERSION_TABLE}`)
  const version = Number(row?.version ?? 1)
  if (version > VERSIONS.length) throw tooNew(version, VERSIONS.length)
  return version
}
