import { hasMethods, kindOf, memberOf } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import type { Pool } from 'pg'

/** A parameter of a statement. */
export type PostgresValue = string | number | null

/** Runs one statement with the parameters `$1`, `$2`, …. Resolves to its rows, or to an object with `rows`. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => PromiseLike<unknown>

/** A client of Postgres: of pg, of neon, of postgres, or a function that runs a statement with any other. */
export type AnyClient =
  | PostgresQuery
  | { query(text: string, values: PostgresValue[]): PromiseLike<unknown> }
  | { unsafe(text: string, values: PostgresValue[]): PromiseLike<unknown> }

export type Row = Readonly<Record<string, unknown>>

/** Returns the function that runs a statement with a client; `undefined` when it is not a client. */
export function queryOf(client: AnyClient): PostgresQuery | undefined {
  // Before functions: the `sql` of neon and of postgres is one, for templates. The `unsafe` of neon runs nothing.
  if (hasMethod(client, 'query')) return (text, values) => client.query(text, values)
  if (hasMethod(client, 'unsafe')) return (text, values) => client.unsafe(text, values)
  return typeof client === 'function' ? client : undefined
}

function hasMethod<Name extends string>(
  client: unknown,
  name: Name,
): client is Extract<AnyClient, { [name in Name]: unknown }> {
  return hasMethods(client, name)
}

export function readRows(result: unknown): readonly Row[] {
  const rows = Array.isArray(result) ? result : memberOf(result, 'rows')
  if (Array.isArray(rows)) return rows
  throw wrongRows(`resolves to ${typeof result} instead of a list of rows, or an object that has them as \`rows\``)
}

/** A client whose rows the engine cannot read. */
export function wrongRows(what: string): ConfigurationError {
  const message = `This client of Postgres will not do: it ${what}. Pass a connection string, a pool of pg, \`sql\` of postgres without \`transform\`, \`sql\` of neon, or a function that returns rows as they are.`
  return new ConfigurationError({ message })
}

/** Checks the row of a first statement, which has `is_due` 1, `due_at` NULL and the encoding. @throws ConfigurationError */
export function checkProbe(row: Row | undefined): void {
  const [name = 'missing'] = Object.keys(row ?? {})
  if (row?.is_due === undefined) throw wrongRows(`renames columns: is_due is ${name}`)
  if (row.due_at !== null) throw wrongRows(`changes NULL to ${typeof row.due_at}`)
  if (row.encoding === 'UTF8' || row.encoding === 'SQL_ASCII') return
  const message = `The database has the encoding ${row.encoding}, in which a result with other characters cannot be stored. Use a database with UTF8.`
  throw new ConfigurationError({ message })
}

/** Whether an error has one of these SQLSTATEs, also when a library has wrapped it. */
export function hasState(error: unknown, ...states: string[]): boolean {
  return [error, memberOf(error, 'cause')].some((each) => states.includes(String(memberOf(each, 'code'))))
}

/** Whether a statement failed because a table is missing, in any database. */
export function isMissingTable(error: unknown): boolean {
  return hasState(error, '42P01', 'ER_NO_SUCH_TABLE') || String(error).includes('no such table')
}

/**
 * The database of an engine.
 *
 * - a connection string, such as `postgres://user:password@host/database`: the engine makes a pool of its own with `pg`
 * - pg: the pool. A single `Client` works, but is one connection: it runs no transactions of yours, and once it is closed, the
 *   engine fails until the process starts again
 * - neon: `sql`, one HTTP request for each statement; postgres: `sql`
 * - any other: a function that runs one statement outside of a transaction, and resolves to its rows
 */
export type PostgresDatabase = string | AnyClient

interface Listener {
  channel: string
  onNotify(): void
  onEnd(): void
}

export interface Connection {
  /** @param limitMs how long the statement may take; some clients enforce it */
  query(text: string, values: PostgresValue[], limitMs: number): PromiseLike<unknown>
  /** Listens to a channel, where there is a connection for it. Resolves to what ends that. */
  listen?: ((listener: Listener) => Promise<(() => Promise<void>) | undefined>) | undefined
  /** A statement got no response in time. */
  onSilence?(): void
  close?(): Promise<void>
}

type PgPool = Pick<Pool, 'query' | 'connect' | 'idleCount'> & { options: { max?: number | null | undefined } }

const CONNECT_MS = 4_000
/** How long an idle connection may take to prove that it is alive. */
const PROBE_MS = 2_000

/** Returns the function that connects at the first statement. @throws ConfigurationError when this is not a database */
export function connectorOf(database: PostgresDatabase): () => Promise<Connection> {
  if (typeof database === 'string') return connectorOfUrl(database)
  if (isPgPool(database)) return async () => ofPool(database)
  const query = queryOf(database)
  if (query === undefined) throw notDatabase(`It got ${kindOf(database)}.`)
  return async () => ({
    async query(text, values) {
      checkIdle(database)
      return await query(text, values)
    },
    listen: hasListen(database) ? (listener) => listenBySql(database, listener) : undefined,
  })
}

function notDatabase(got: string): ConfigurationError {
  const message = `createPostgresEngine needs a database as its first argument: a connection string, a pool of pg, \`sql\` of neon or postgres, or a function (text, values) => rows. ${got}`
  return new ConfigurationError({ message })
}

/** A statement inside of a transaction of the caller could be rolled back after the engine has acted on it. */
function checkIdle(database: AnyClient): void {
  const status = transactionStatus(database)
  if (status !== 'T' && status !== 'E' && !hasMethods(database, 'savepoint')) return
  const message = 'The Postgres engine got a connection that is inside of a transaction. Give it the pool.'
  throw new ConfigurationError({ message })
}

/** Of a client of pg: `I` outside of transactions, `T` inside of one, `E` inside of one that failed. */
export function transactionStatus(client: unknown): unknown {
  return hasStatus(client) ? client.getTransactionStatus() : undefined
}

function hasStatus(client: unknown): client is { getTransactionStatus(): unknown } {
  return hasMethods(client, 'getTransactionStatus')
}

export function isPgPool(client: unknown): client is PgPool {
  return hasMethods(client, 'query', 'connect') && Number.isInteger(memberOf(client, 'idleCount'))
}

/** `sql` of postgres, which opens a connection of its own for this, and opens it again. */
interface ListeningSql {
  listen(channel: string, onNotify: () => void): Promise<{ unlisten(): Promise<void> }>
}

function hasListen(client: AnyClient): client is AnyClient & ListeningSql {
  return hasMethods(client, 'listen')
}

async function listenBySql(sql: ListeningSql, { channel, onNotify }: Listener) {
  const { unlisten } = await sql.listen(channel, onNotify)
  return () => unlisten()
}

/** A smaller pool has no connection to spare. */
const SMALLEST_POOL = 4

async function listenByPool(pool: PgPool, { channel, onNotify, onEnd }: Listener) {
  if ((pool.options.max ?? 0) < SMALLEST_POOL) return undefined
  const client = await pool.connect()
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    client.release(true)
    onEnd()
  }
  client.on('notification', onNotify)
  client.on('error', end)
  client.on('end', end)
  try {
    await client.query(withLimit(`LISTEN ${channel}`, [], PROBE_MS))
  } catch (error) {
    await end()
    throw error
  }
  return end
}

/** A config, because pg takes the time limit only there. Its pool closes a connection whose statement took longer. */
function withLimit(text: string, values: PostgresValue[], limitMs: number) {
  return { text, values, query_timeout: limitMs } as { text: string; values: PostgresValue[] } // not in its types
}

function ofPool(pool: PgPool): Connection {
  const query = (text: string, values: PostgresValue[], limitMs: number) => pool.query(withLimit(text, values, limitMs))
  return {
    query,
    listen: (listener) => listenByPool(pool, listener),
    onSilence() {
      // Where one connection is dead, others often are. All at once: one after the other would take a time limit each.
      for (let left = pool.idleCount; left > 0; left -= 1) query('SELECT 1', [], PROBE_MS).catch(() => {})
    },
  }
}

function connectorOfUrl(url: string): () => Promise<Connection> {
  if (!/^postgres(ql)?:\/\//.test(url)) throw notDatabase(`It got the text ${shown(url)}.`)
  return async () => {
    const pool = await openPool(url)
    return {
      ...ofPool(pool),
      close: async () => {
        if (!pool.ending) await pool.end()
      },
    }
  }
}

/** A text that is not a url can be a password. */
function shown(text: string): string {
  return text === '' ? '""' : `${JSON.stringify(text.slice(0, 4))}…`
}

async function openPool(connectionString: string): Promise<Pool> {
  const pg = await import('pg').catch((cause) => {
    const message = 'createPostgresEngine needs the package pg for a connection string: npm install pg'
    throw new ConfigurationError({ message, cause })
  })
  const pool = new pg.default.Pool({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
  // Without listeners a restart of the database ends the process. The next statement reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
