import { ConfigurationError } from 'modelrun'

/** A parameter of a statement. */
export type PostgresValue = string | number | null

/** Runs one statement with the parameters `$1`, `$2`, …. Resolves to its rows, or to an object with `rows`. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => PromiseLike<unknown>

export type Row = Readonly<Record<string, unknown>>

/** SQLSTATE of a missing table. */
const UNDEFINED_TABLE = '42P01'

/** Runs a statement and returns its rows. */
export async function queryRows(query: PostgresQuery, text: string, values: PostgresValue[]): Promise<readonly Row[]> {
  return readRows(await query(text, values).then(undefined, explain))
}

/** Returns the rows in the result of a client. */
export function readRows(result: unknown): readonly Row[] {
  const rows = Array.isArray(result) ? result : Object(result).rows
  if (Array.isArray(rows)) return rows
  const message = `The query function for Postgres gave ${typeof result}. It must resolve to a list of rows, or to an object that has them as \`rows\`.`
  throw new ConfigurationError({ message })
}

/** Also recognizes errors that a library has wrapped. */
export function isMissingTable(error: unknown): boolean {
  return [error, Object(error).cause].some((each) => Object(each).code === UNDEFINED_TABLE)
}

function explain(cause: unknown): never {
  if (!isMissingTable(cause)) throw cause
  const message = 'The Postgres engine has no tables yet. Call `await engine.setup()` once first.'
  throw new ConfigurationError({ message, cause })
}
