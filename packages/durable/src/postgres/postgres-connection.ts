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

/** SQLSTATE of a missing table. */
const UNDEFINED_TABLE = '42P01'

/** Returns the function that runs a statement with a client; `undefined` when it is not a client. */
export function queryOf(client: AnyClient): PostgresQuery | undefined {
  // Before functions: the `sql` of neon and of postgres is one, for templates. The `unsafe` of neon runs nothing.
  if (hasMethod(client, 'query')) return (text, values) => client.query(text, values)
  if (hasMethod(client, 'unsafe')) return (text, values) => client.unsafe(text, values)
  return typeof client === 'function' ? client : undefined
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
  throw wrongRows(`resolves to ${typeof result} instead of a list of rows, or an object that has them as \`rows\``)
}

/** A client whose rows the engine cannot read. */
export function wrongRows(what: string): ConfigurationError {
  const message = `This client of Postgres will not do: it ${what}. Pass a connection string, a pool of pg, \`sql\` of postgres without \`transform\`, \`sql\` of neon, or a function that returns rows as they are.`
  return new ConfigurationError({ message })
}

/** Checks the row of a first statement, which has `is_due` 1 and `due_at` NULL. @throws ConfigurationError */
export function checkProbe(row: Row | undefined): void {
  const names = Object.keys(Object(row))
  if (!names.includes('is_due')) throw wrongRows(`renames columns: is_due is ${names[0] ?? 'missing'}`)
  if (row?.due_at !== null) throw wrongRows(`changes NULL to ${typeof row?.due_at}`)
}

/** Whether an error has one of these SQLSTATEs, also when a library has wrapped it. */
export function hasState(error: unknown, ...states: string[]): boolean {
  return [error, Object(error).cause].some((each) => states.includes(Object(each).code))
}

export function isMissingTable(error: unknown): boolean {
  return hasState(error, UNDEFINED_TABLE)
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
  /** The connection is lost. */
  onEnd(): void
}

/** Listens to a channel, on a connection of its own. Resolves to what ends that. */
type Listen = (listener: Listener) => Promise<(() => Promise<void>) | undefined>

/** How the engine runs statements. */
export interface Connection {
  /** @param limitMs how long the statement may take; some clients enforce it */
  query(text: string, values: PostgresValue[], limitMs: number): PromiseLike<unknown>
  /** Missing, or resolves to `undefined`, where there is no connection for it. */
  listen?: Listen | undefined
  /** A statement got no response in time. */
  onSilence(): void
  /** Number of connections when all of them are in use. */
  usedUp(): number | undefined
  close(): Promise<void>
}

/** The parts of a pool of pg that the engine uses. */
type PgPool = Pick<Pool, 'query' | 'connect' | 'idleCount' | 'totalCount'> & {
  options: { max?: number | null | undefined }
}

/** How long a connection may take to open. */
const CONNECT_MS = 4_000
/** How long an idle connection may take to prove that it is alive. */
const PROBE_MS = 2_000

/** @throws ConfigurationError when this is not a database */
export function connectionOf(database: PostgresDatabase): Connection {
  if (typeof database === 'string') return ofUrl(database)
  const mistake = mistakeIn(database)
  if (mistake !== undefined) throw new ConfigurationError({ message: `createPostgresEngine needs ${mistake}` })
  if (isPgPool(database)) return ofPool(database)
  const query = queryOf(database)
  if (query === undefined) throw new ConfigurationError({ message: `createPostgresEngine needs ${EXPECTED}` })
  return {
    async query(text, values) {
      checkIdle(database)
      return await query(text, values)
    },
    listen: hasListen(database) ? (listener) => listenBySql(database, listener) : undefined,
    onSilence: () => {},
    usedUp: () => undefined,
    close: async () => {},
  }
}

const EXPECTED =
  'a database: a connection string, a pool of pg, `sql` of neon or postgres, or a function (text, values) => rows.'

/** What is wrong with a database, as far as it shows before the first statement. */
function mistakeIn(database: AnyClient): string | undefined {
  if (typeof database === 'function') {
    const source = Function.prototype.toString.call(database)
    const isLoose = /^(async )?query\s*\(/.test(source) && source.includes('this')
    return isLoose ? `the pool itself: createPostgresEngine(pool). \`pool.query\` alone has lost its pool.` : undefined
  }
  if (typeof database !== 'object' || database === null)
    return `${EXPECTED} It got ${database === null ? 'null' : typeof database}.`
  const isPlain = Object.getPrototypeOf(database) === Object.prototype
  if (isPlain)
    return `${EXPECTED} It got an object of options: the database comes first, as in createPostgresEngine(pool).`
  const { execute, then, $client }: { execute?: unknown; then?: unknown; $client?: unknown } = Object(database)
  if ($client !== undefined) return `${EXPECTED} Of drizzle, pass \`db.$client\`.`
  if (typeof execute === 'function') return `${EXPECTED} It got a client of another database.`
  if (typeof then === 'function') return `${EXPECTED} It got a promise.`
  return undefined
}

/** A statement inside of a transaction of the caller could be rolled back after the engine has acted on it. */
function checkIdle(database: AnyClient): void {
  const { getTransactionStatus, savepoint } = Object(database)
  const status = typeof getTransactionStatus === 'function' ? getTransactionStatus.call(database) : undefined
  if (status !== 'T' && status !== 'E' && typeof savepoint !== 'function') return
  const message = 'The Postgres engine got a connection that is inside of a transaction. Give it the pool.'
  throw new ConfigurationError({ message })
}

function isPgPool(database: unknown): database is PgPool {
  const { query, totalCount, idleCount, options } = Object(database)
  return [totalCount, idleCount].every(Number.isInteger) && typeof query === 'function' && typeof options === 'object'
}

/** `sql` of postgres, which opens a connection of its own for this, and opens it again. */
interface ListeningSql {
  listen(channel: string, onNotify: () => void): Promise<{ unlisten(): Promise<void> }>
}

function hasListen(client: AnyClient): client is AnyClient & ListeningSql {
  return hasMethod(client, 'listen')
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
  await client.query(`LISTEN ${channel}`)
  return end
}

function ofPool(pool: PgPool): Connection {
  // A config, because pg takes the time limit only there. It closes a connection whose statement took longer.
  const query = (text: string, values: PostgresValue[], limitMs: number) =>
    pool.query({ text, values, query_timeout: limitMs } as { text: string; values: PostgresValue[] }) // not in its types
  return {
    query,
    listen: (listener) => listenByPool(pool, listener),
    onSilence() {
      // Where one connection is dead, others often are. All at once: one after the other would take a time limit each.
      for (let left = pool.idleCount; left > 0; left -= 1) query('SELECT 1', [], PROBE_MS).catch(() => {})
    },
    usedUp() {
      const { max } = pool.options
      return pool.idleCount === 0 && max != null && pool.totalCount >= max ? max : undefined
    },
    close: async () => {},
  }
}

function ofUrl(url: string): Connection {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new ConfigurationError({ message: `createPostgresEngine needs ${EXPECTED} It got the text ${shown(url)}.` })
  }
  let opening: Promise<{ pool: Pool; connection: Connection }> | undefined
  const open = () => {
    opening ??= openPool(url)
    return opening
  }
  let opened: Connection | undefined
  return {
    async query(text, values, limitMs) {
      opened ??= (await open()).connection
      return await opened.query(text, values, limitMs)
    },
    listen: async (listener) => (await open()).connection.listen?.(listener),
    onSilence: () => opened?.onSilence(),
    usedUp: () => opened?.usedUp(),
    async close() {
      const pool = (await opening?.catch(() => undefined))?.pool
      if (pool?.ending === false) await pool.end()
    },
  }
}

/** A text that is not a url can be a password. */
function shown(text: string): string {
  return text === '' ? '""' : `${JSON.stringify(text.slice(0, 4))}…`
}

async function openPool(connectionString: string): Promise<{ pool: Pool; connection: Connection }> {
  const pg = await import('pg').catch((cause) => {
    const message = 'createPostgresEngine needs the package pg for a connection string: npm install pg'
    throw new ConfigurationError({ message, cause })
  })
  const pool = new pg.default.Pool({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
  // Without listeners a restart of the database ends the process. The next statement reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return { pool, connection: ofPool(pool) }
}
