import { ConfigurationError } from 'modelrun'

/** A parameter of a statement. */
export type PostgresValue = string | number | null

/** Runs one statement with the parameters `$1`, `$2`, …. Resolves to its rows, or to an object with `rows`. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => PromiseLike<unknown>

/** A client of Postgres: of pg, of postgres, or a function that runs a statement with any other. */
export type AnyClient =
  | PostgresQuery
  | { query(text: string, values: PostgresValue[]): PromiseLike<unknown> }
  | { unsafe(text: string, values: PostgresValue[]): PromiseLike<unknown> }

export type Row = Readonly<Record<string, unknown>>

/** SQLSTATE of a missing table. */
const UNDEFINED_TABLE = '42P01'

/** Returns the function that runs a statement with a client; `undefined` when it is not a client. */
export function queryOf(client: AnyClient): PostgresQuery | undefined {
  // Before functions: the `sql` of postgres is one, for templates.
  if (hasMethod(client, 'unsafe')) return (text, values) => client.unsafe(text, values)
  if (typeof client === 'function') return client
  if (hasMethod(client, 'query')) return (text, values) => client.query(text, values)
  return undefined
}

export function hasMethod<Name extends string>(
  client: AnyClient,
  name: Name,
): client is Extract<AnyClient, { [name in Name]: unknown }> {
  return typeof Object(client)[name] === 'function'
}

/** Returns the rows in the result of a client. */
export function readRows(result: unknown): readonly Row[] {
  const rows = Array.isArray(result) ? result : Object(result).rows
  if (Array.isArray(rows)) return rows
  const message = `The query function for Postgres gave ${typeof result}. It must resolve to a list of rows, or to an object that has them as \`rows\`.`
  throw new ConfigurationError({ message })
}

/** Whether an error has one of these SQLSTATEs, also when a library has wrapped it. */
export function hasState(error: unknown, ...states: string[]): boolean {
  return [error, Object(error).cause].some((each) => states.includes(Object(each).code))
}

export function isMissingTable(error: unknown): boolean {
  return hasState(error, UNDEFINED_TABLE)
}
