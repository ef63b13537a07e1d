import { systemClock, withTimeLimit } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import {
  type Connection,
  connectorOf,
  hasState,
  isMissingTable,
  type PostgresDatabase,
  type PostgresValue,
  type Row,
  readRows,
} from './postgres-connection.ts'

/** How long a statement may take, with the wait for a connection. */
const LIMIT_MS = 5_000
/** How much less it may take once it has its connection. */
const CONNECTION_MS = 1_000
/** Longest pause before a statement is repeated. */
const PAUSE_MS = 100

/**
 * SQLSTATE of serialization_failure, deadlock_detected and lock_not_available: nothing was changed, and the next attempt may
 * succeed.
 */
const REPEATABLE = ['40001', '40P01', '55P03']

/** SQLSTATE of read_only_sql_transaction. */
const READ_ONLY = '25006'

/** After a failover a session can be one of a standby. It ends itself, so that the client opens another one, of the new primary. */
const END_STANDBY_SESSION = 'SELECT pg_terminate_backend(pg_backend_pid()) WHERE pg_is_in_recovery()'

/** Runs the statements of an engine. */
export class PostgresLink {
  readonly #connect: () => Promise<Connection>
  readonly #schema: string | undefined
  #connection: Promise<Connection> | undefined

  constructor(database: PostgresDatabase, schema: string | undefined) {
    this.#connect = connectorOf(database)
    this.#schema = schema
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#connect()
    return this.#connection
  }

  /** Runs one statement, and returns its rows. */
  async rows(sql: string, values: PostgresValue[]): Promise<readonly Row[]> {
    return readRows(await this.run(sql, LIMIT_MS, values))
  }

  /**
   * Runs one statement. It fails when it takes too long: a connection can be dead without a sign of it. Its response may come
   * later and does not count, so each statement must be safe to repeat.
   */
  async run(sql: string, limitMs: number, values: PostgresValue[] = []): Promise<unknown> {
    const text = inSchema(sql, this.#schema)
    const giveUpAt = performance.now() + limitMs
    for (;;) {
      try {
        return await this.#once(text, values, limitMs)
      } catch (error) {
        if (isMissingTable(error)) throw noTables(error)
        if (hasState(error, READ_ONLY)) this.#leaveStandby()
        if (!hasState(error, ...REPEATABLE) || performance.now() > giveUpAt) throw error
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS))
      }
    }
  }

  #leaveStandby(): void {
    this.#once(END_STANDBY_SESSION, [], LIMIT_MS).catch(() => {})
  }

  /** Calls back at each notification, where the client can. Resolves to what ends that. */
  async listen(channel: string, onNotify: () => void, onEnd: () => void): Promise<(() => Promise<void>) | undefined> {
    return await (await this.#connected()).listen?.({ channel, onNotify, onEnd })
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close?.()
  }

  async #once(text: string, values: PostgresValue[], limitMs: number): Promise<unknown> {
    const connection = await this.#connected()
    const connectionMs = limitMs - CONNECTION_MS
    const startedAt = performance.now()
    const limit = { clock: systemClock, limitMs, name: 'Postgres, or a pool without a free connection,' }
    try {
      return await withTimeLimit(() => connection.query(text, values, connectionMs), limit)
    } catch (error) {
      if (performance.now() - startedAt >= connectionMs) connection.onSilence?.()
      throw error
    }
  }
}

const NAMES = /\bmodelrun_(?:tasks|queues|counts|tallies|version)\b/g

/** Returns a statement on the tables of a schema. */
function inSchema(sql: string, schema: string | undefined): string {
  return schema === undefined ? sql : sql.replace(NAMES, `"${schema}".$&`)
}

function noTables(cause: unknown): ConfigurationError {
  const message = 'The Postgres engine has no tables yet. Call `await engine.setup()` once first.'
  return new ConfigurationError({ message, cause })
}
