import { ConfigurationError } from 'modelrun'

/** A parameter of a statement. */
export type PostgresValue = string | number | null

/** Runs one statement with its parameters `$1`, `$2`, …; resolves to its rows, or to an object that has them as `rows`. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => PromiseLike<unknown>

export type Row = Readonly<Record<string, unknown>>

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01'

/** Runs a statement and gives its rows. */
export async function queryRows(query: PostgresQuery, text: string, values: PostgresValue[]): Promise<readonly Row[]> {
  const result = await query(text, values).then(undefined, explain)
  const rows = Array.isArray(result) ? result : Object(result).rows
  if (Array.isArray(rows)) return rows
  const message = `The query function of createPostgresEngine gave ${typeof result}. It must resolve to a list of rows, or to an object that has them as \`rows\`.`
  throw new ConfigurationError({ message })
}

function explain(cause: unknown): never {
  if (Object(cause).code !== UNDEFINED_TABLE) throw cause
  const message = 'The Postgres engine has no tables yet. Call `await engine.setup()` once first.'
  throw new ConfigurationError({ message, cause })
}
