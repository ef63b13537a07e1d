import type { Codec, Engine } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import pg from 'pg'

/** An engine and where its store is; as JSON, for another process. */
export interface EngineAt {
  kind: 'sqlite' | 'postgres' | 'bullmq'
  /** A file or a url. */
  at: string
  /** Connections to Postgres. Default 10. */
  connections?: number | undefined
  /** Interval of polls, in milliseconds. Default 50, so that tests wait less. */
  pollMs?: number | undefined
}

/** Opens an engine, in any process. */
export function openEngine(
  { kind, at, connections = 10, pollMs = 50 }: EngineAt,
  onError?: (error: unknown) => void,
  codec?: Codec,
): Engine {
  const options = { pollMs, onError, codec }
  if (kind === 'sqlite') return createSqliteEngine({ path: at, ...options })
  if (kind === 'bullmq') return createBullmqEngine({ connection: at, ...options })
  const pool = new pg.Pool({ connectionString: at, max: connections })
  pool.on('error', () => {})
  const engine = createPostgresEngine(pool, options)
  const close = async () => {
    await engine.close()
    await pool.end()
  }
  return { ...engine, close }
}
