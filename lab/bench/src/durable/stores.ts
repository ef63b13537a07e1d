import { rmSync, statSync } from 'node:fs'
import type { Engine } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'

/** Where a store is; as JSON, for another process. */
export interface StoreAt {
  kind: 'sqlite' | 'postgres' | 'redis'
  /** A file or a url. */
  at: string
}

export function openStore({ kind, at }: StoreAt): Engine {
  if (kind === 'sqlite') return createSqliteEngine({ path: at })
  if (kind === 'redis') return createBullmqEngine({ connection: at })
  const pool = new pg.Pool({ connectionString: at, max: 10 })
  return createPostgresEngine(pool)
}

/** Removes what earlier measurements left. */
export async function clearStore({ kind, at }: StoreAt): Promise<void> {
  if (kind === 'sqlite') for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true })
  if (kind === 'redis') await onRedis(at, (redis) => redis.flushdb())
  if (kind === 'postgres') {
    await onPostgres(at, 'DROP TABLE IF EXISTS modelrun_tasks, modelrun_queues, modelrun_counts, modelrun_tallies')
  }
}

/** Adds keys to a Postgres by one statement, as `children/durable-growth.ts` adds them one by one. */
export async function fillStore(store: StoreAt, count: number): Promise<void> {
  const engine = openStore(store)
  await engine.setup()
  await engine.close()
  const key = "translate(encode(sha256(number::text::bytea), 'base64'), '+/=', '-_')"
  await onPostgres(
    store.at,
    `WITH keys AS (SELECT number, ${key} AS key FROM generate_series(0, ${count - 1}) AS number),
    added AS (
      INSERT INTO modelrun_tasks (queue, id, state, data, due_at, added_at)
      SELECT 'runs:submit', key, 'waiting',
        '{"model":"aurora-image","input":{"prompt":"a red fox in the snow, take ' || key || '"}}', number, number
      FROM keys
    )
    INSERT INTO modelrun_counts VALUES ('runs:submit', 0, ${count}, 0, 0)`,
  )
  // As autovacuum does a while later.
  await onPostgres(store.at, 'VACUUM ANALYZE modelrun_tasks')
}

/** Bytes on the disk; of Redis in memory. */
export async function bytesOf({ kind, at }: StoreAt): Promise<number> {
  if (kind === 'sqlite') return statSync(at).size
  if (kind === 'postgres') {
    const [row] = await onPostgres(at, "SELECT pg_total_relation_size('modelrun_tasks') AS bytes")
    return Number(row?.bytes)
  }
  return onRedis(at, async (redis) => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]))
}

async function onRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

async function onPostgres(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
