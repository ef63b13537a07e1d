import { systemClock, untilStored, withTimeLimit } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import type { Connection, PostgresDatabase, PostgresValue } from './postgres-connection.ts'
import { connectorOf, hasState, isMissingTable, readRows } from './postgres-connection.ts'

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

/**
 * After a failover a session can be one of a standby, and a setting of the database stays that of the time when it was opened. It
 * ends itself, so that the client opens another one.
 */
const END_READ_ONLY_SESSION =
  "SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('transaction_read_only') = 'on'"

export type PostgresLink = ReturnType<typeof createPostgresLink>

export function createPostgresLink(database: PostgresDatabase, schema: string | undefined) {
  const connect = connectorOf(database)
  let connection: Promise<Connection> | undefined
  const connected = () => {
    connection ??= connect()
    return connection
  }
  const once = async (text: string, values: PostgresValue[], limitMs: number): Promise<unknown> => {
    const { query, onSilence } = await connected()
    const connectionMs = limitMs - CONNECTION_MS
    const startedAt = performance.now()
    try {
      return await withTimeLimit(() => query(text, values, connectionMs), limitOf(limitMs))
    } catch (error) {
      if (performance.now() - startedAt >= connectionMs) onSilence?.()
      throw error
    }
  }
  /**
   * Runs one statement. It fails when it takes too long: a connection can be dead without a sign of it. Its response may come
   * later and does not count, so each statement must be safe to repeat.
   */
  const run = async (sql: string, limitMs: number, values: PostgresValue[] = []): Promise<unknown> => {
    const text = schema === undefined ? sql : sql.replace(NAMES, `"${schema}".$&`)
    const giveUpAt = performance.now() + limitMs
    const onError = (error: unknown) => {
      if (isMissingTable(error)) throw noTables(error)
      if (hasState(error, READ_ONLY)) once(END_READ_ONLY_SESSION, [], LIMIT_MS).catch(() => {})
      if (!hasState(error, ...REPEATABLE) || performance.now() > giveUpAt) throw error
    }
    const waits = { clock: systemClock, firstMs: Math.random() * PAUSE_MS, maxMs: PAUSE_MS }
    return await untilStored(() => once(text, values, limitMs), { ...waits, onError })
  }
  return {
    run,
    rows: async (sql: string, values: PostgresValue[]) => readRows(await run(sql, LIMIT_MS, values)),
    /** Calls back at each notification, where the client can. Resolves to what ends that. A late one is ended at once. */
    listen: async (channel: string, onNotify: () => void, onEnd: () => void) => {
      const listening = (await connected()).listen?.({ channel, onNotify, onEnd })
      try {
        const end = await withTimeLimit(() => listening, limitOf(LIMIT_MS))
        // Nothing is left to do for a connection that is lost.
        return end && (() => withTimeLimit(end, limitOf(CONNECTION_MS)).catch(() => {}))
      } catch (error) {
        listening?.then((end) => end?.()).catch(() => {})
        throw error
      }
    },
    close: async () => (await connection?.catch(() => undefined))?.close?.(),
  }
}

function limitOf(limitMs: number) {
  return { clock: systemClock, limitMs, name: 'Postgres, or a pool without a free connection,' }
}

const NAMES = /\bmodelrun_(?:tasks|queues|counts|tallies|version)\b/g

function noTables(cause: unknown): ConfigurationError {
  const message = 'The Postgres engine has no tables yet. Call `await engine.setup()` once first.'
  return new ConfigurationError({ message, cause })
}
