import type { Engine } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import pg from 'pg'

/** An engine and where its store is; as JSON, for another process. */
export interface EngineAt {
  kind: 'sqlite' | 'postgres' | 'bullmq'
  /** A file or a url. */
  at: string
}

/** Opens an engine, in any process. */
export function openEngine({ kind, at }: EngineAt): Engine {
  const pollMs = 50
  if (kind === 'sqlite') return createSqliteEngine({ path: at, pollMs })
  if (kind === 'bullmq') return createBullmqEngine({ connection: at, pollMs })
  const pool = new pg.Pool({ connectionString: at })
  pool.on('error', () => {})
  const engine = createPostgresEngine({ query: (text, values) => pool.query(text, values), pollMs })
  const close = async () => {
    await engine.close()
    await pool.end()
  }
  return { ...engine, close }
}
