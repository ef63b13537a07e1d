import { type TableVersion, tablesOf, VERSION_TABLE, versionOf } from '../engine/table-versions.ts'
import type { Database } from './sqlite-database.ts'

/** A trigger that counts tasks: counting a million rows takes long, and blocks the event loop. */
function countOn(name: string, event: string, changes: readonly (readonly [row: string, amount: number])[]): string {
  const count = ([row, amount]: readonly [string, number]) => `
      INSERT INTO modelrun_counts (queue, state, count) VALUES (${row}.queue, ${row}.state, ${amount})
      ON CONFLICT (queue, state) DO UPDATE SET count = count + ${amount};`
  return `CREATE TRIGGER IF NOT EXISTS modelrun_tasks_${name} AFTER ${event} ON modelrun_tasks BEGIN ${changes.map(count).join('')} END;`
}

/** The versions of the tables, oldest first. */
export const VERSIONS: readonly TableVersion[] = [
  {
    columns: {
      modelrun_tasks: [
        ...['queue', 'id', 'state', 'data', 'result', 'error', 'attempts', 'lost', 'fence'],
        ...['due_at', 'added_at', 'ended_at', 'seq'],
      ],
      modelrun_queues: ['queue', 'next_start', 'paused_until'],
      modelrun_tallies: ['name', 'value'],
      modelrun_counts: ['queue', 'state', 'count'],
    },
    sql: `
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
  },
  {
    columns: { modelrun_tasks: ['started'] },
    // Whether a run that was locked by the version before has started is unknown.
    sql: `
      ALTER TABLE modelrun_tasks ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
      UPDATE modelrun_tasks SET started = fence WHERE state = 'running';`,
  },
  {
    columns: { modelrun_tasks: ['started_at'] },
    sql: 'ALTER TABLE modelrun_tasks ADD COLUMN started_at INTEGER;',
  },
]

const TABLES = tablesOf(VERSIONS).map((table) => `'${table}'`)

/** The columns of the tables that exist. */
const FIND_COLUMNS = `
  SELECT t.name AS table_name, c.name AS column_name, c."notnull" AND c.dflt_value IS NULL AND c.pk = 0 AS is_required
  FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name IN (${TABLES.join(', ')})`

const NEWEST = `SELECT max(version) AS version FROM ${VERSION_TABLE}`

/** Migrates from a version, or from nothing. For a transaction. */
export function migration(from: number): string {
  const steps = VERSIONS.map(
    ({ sql }, index) => `${sql}; INSERT OR IGNORE INTO ${VERSION_TABLE} VALUES (${index + 1});`,
  )
  return [
    `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (version INTEGER PRIMARY KEY);`,
    `INSERT OR IGNORE INTO ${VERSION_TABLE} SELECT ${from} WHERE ${from} > 0;`,
    ...steps.slice(from),
  ].join('\n')
}

/** The version of the tables in a database. */
export function versionIn(database: Database): number {
  const found = database.rows(FIND_COLUMNS).map((row) => ({
    table: String(row.table_name),
    column: String(row.column_name),
    isRequired: Number(row.is_required) === 1,
  }))
  const isKnown = found.some(({ table }) => table === VERSION_TABLE)
  const [row] = isKnown ? database.rows(NEWEST) : []
  return versionOf(VERSIONS, found, Number(row?.version ?? 0))
}
