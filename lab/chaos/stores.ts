import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { EngineAt } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { POSTGRES_PROGRAMS, startPostgres } from '../../packages/integration-tests/src/services/postgres.ts'
import { REDIS_PROGRAMS, startRedis } from '../../packages/integration-tests/src/services/redis.ts'
import { retryUntilDone } from './retry-until-done.ts'

export type EngineKind = EngineAt['kind']

/** The engines, and the programs that each needs. */
export const ENGINES: ReadonlyMap<EngineKind, readonly string[]> = new Map([
  ['sqlite', []],
  ['bullmq', REDIS_PROGRAMS],
  ['postgres', POSTGRES_PROGRAMS],
])

/** A store, and what can happen to it. */
export interface ChaosStore {
  engineAt: EngineAt
  /** Each ends the outage before it resolves. */
  outages: (() => Promise<void>)[]
  /** Ends it with `kill -9`, and starts it again; not of a file. */
  crash?(): Promise<void>
}

/** Starts an empty store, and ends it after its use. */
export async function withStore<T>(kind: EngineKind, use: (store: ChaosStore) => Promise<T>): Promise<T> {
  const { stop, ...store } = await START[kind]()
  try {
    return await use(store)
  } finally {
    await stop()
  }
}

const START: Record<EngineKind, () => Promise<ChaosStore & { stop(): Promise<void> }>> = {
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modelrun-chaos-sqlite-'))
    const at = join(folder, 'tasks.db')
    return {
      engineAt: { kind: 'sqlite', at },
      outages: [() => lockFile(at, 3_000), () => lockFile(at, 800)],
      stop: () => rm(folder, { recursive: true }),
    }
  },
  bullmq: async () => {
    const { port, stop, crash } = await startRedis()
    const command = async (...[name, ...args]: [string, ...string[]]) => {
      const redis = new Redis({ port, host: '127.0.0.1' })
      await redis.call(name, ...args)
      redis.disconnect()
    }
    const fillUp = async () => {
      await command('CONFIG', 'SET', 'maxmemory', '1mb')
      await sleep(2_500)
      await command('CONFIG', 'SET', 'maxmemory', '0')
    }
    const pause = async () => {
      await command('CLIENT', 'PAUSE', '1500')
      await sleep(1_500)
    }
    return {
      engineAt: { kind: 'bullmq', at: `redis://127.0.0.1:${port}` },
      outages: [crash, pause, fillUp],
      crash,
      stop,
    }
  },
  postgres: async () => {
    // As on many servers that others have tuned. With the long delay, what a commit has not waited for is lost for sure.
    const { url, stop, crash } = await startPostgres({ synchronous_commit: 'off', wal_writer_delay: '10000ms' })
    const outages = [() => endConnections(url), () => holdRows(url), crash]
    return { engineAt: { kind: 'postgres', at: url }, outages, crash, stop }
  },
}

/** Another process has the file for itself. */
async function lockFile(path: string, delayMs: number): Promise<void> {
  // No wait inside SQLite: this process has to continue, to wake up one that is paused and has the file.
  const database = new DatabaseSync(path, { timeout: 0 })
  await retryUntilDone(() => database.exec('BEGIN EXCLUSIVE'), 5)
  await sleep(delayMs)
  database.exec('COMMIT')
  database.close()
}

async function endConnections(url: string): Promise<void> {
  const client = await connect(url)
  for (let count = 0; count < 3; count++) {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
    )
    await sleep(200)
  }
  await client.end()
}

/** A transaction of an operator that holds some tasks. */
async function holdRows(url: string): Promise<void> {
  const client = await connect(url)
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM modelrun_tasks ORDER BY due_at LIMIT 5 FOR UPDATE')
  await sleep(3_000)
  await client.query('ROLLBACK')
  await client.end()
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
