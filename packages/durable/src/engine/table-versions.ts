import { ConfigurationError } from 'modelrun'

/** Names of columns, by table. */
type Columns = Readonly<Record<string, readonly string[]>>

/** One version of the tables of an engine. */
export interface TableVersion {
  /** The columns that it adds, by table. */
  readonly columns: Columns
  /** The columns that it removes. */
  readonly removed?: Columns
  /** Makes this version from the one before, or the first one from nothing. */
  readonly sql: string
}

/** A column of a table in the store that has the name of one of the engine's. */
export interface FoundColumn {
  readonly table: string
  readonly column: string
  /** Whether each new row needs a value for it. */
  readonly isRequired: boolean
}

/** The table that has a row for each version that was made. Tables without it are of version 1. */
export const VERSION_TABLE = 'modelrun_version'

/**
 * Returns the version of the tables in a store; 0 when there are none.
 *
 * @param newest the last version in the version table
 * @throws ConfigurationError when the tables are newer, or not of this engine
 */
export function versionOf(versions: readonly TableVersion[], found: readonly FoundColumn[], newest: number): number {
  const columns = found.filter(({ table }) => table !== VERSION_TABLE)
  if (columns.length === 0) return 0
  const version = Math.max(1, newest)
  if (version > versions.length) throw tooNew(version, versions.length)
  const missing = namesOf(versions.slice(0, version)).find((name) => !columns.some((one) => nameOf(one) === name))
  if (missing !== undefined) throw foreign(`has no column ${missing}`)
  const known = namesOf(versions)
  const unknown = columns.find((one) => one.isRequired && !known.includes(nameOf(one)))
  if (unknown !== undefined) throw foreign(`needs a value for the column ${nameOf(unknown)}, which is not the engine's`)
  return version
}

/** The names of all tables. */
export function tablesOf(versions: readonly TableVersion[]): string[] {
  return [...new Set(versions.flatMap(({ columns }) => Object.keys(columns))), VERSION_TABLE]
}

/** The columns that tables have after these versions. */
function namesOf(versions: readonly TableVersion[]): string[] {
  const removed = versions.flatMap((version) => namesIn(version.removed ?? {}))
  return versions.flatMap(({ columns }) => namesIn(columns)).filter((name) => !removed.includes(name))
}

function namesIn(columns: Columns): string[] {
  return Object.entries(columns).flatMap(([table, names]) => names.map((column) => nameOf({ table, column })))
}

function nameOf({ table, column }: Pick<FoundColumn, 'table' | 'column'>): string {
  return `${table}.${column}`
}

/** What is stored is newer than this program. */
export function tooNew(version: number, known: number): ConfigurationError {
  const message = `What the engine has stored is of version ${version}: a newer @modelrun/durable has migrated it. This one knows versions up to ${known}. Update it in this program.`
  return new ConfigurationError({ message })
}

function foreign(what: string): ConfigurationError {
  const message = `A table with a name of the engine ${what}: the engine did not make it, or it was changed since. Restore it, or give the engine a schema or a file of its own.`
  return new ConfigurationError({ message })
}
