import type { InboxStore } from 'modelrun/webhooks'
import type { StoreSettings } from './receiver-settings.ts'

export interface OpenedStore {
  store: InboxStore
  close(): Promise<void>
}

/** Loads only the client that is needed: a process that replaces a dead one must be there soon. */
export async function openStore(settings: StoreSettings): Promise<OpenedStore> {
  switch (settings.kind) {
    case 'sqlite':
      return await openSqlite(settings.path)
    case 'redis':
      return await openRedis(settings.port)
    case 'postgres':
      return await openPostgres(settings.url)
  }
}

async function openSqlite(path: string): Promise<OpenedStore> {
  const { createSqliteStore } = await import('modelrun/webhooks/sqlite')
  const store = createSqliteStore({ path })
  return { store, close: async () => store.close() }
}

async function openRedis(port: number): Promise<OpenedStore> {
  const { createRedisStore } = await import('modelrun/webhooks/redis')
  const { Redis } = await import('ioredis')
  const redis = new Redis(port, '127.0.0.1')
  const store = createRedisStore({ eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args) })
  return { store, close: async () => redis.disconnect() }
}

async function openPostgres(url: string): Promise<OpenedStore> {
  const { createPostgresStore } = await import('modelrun/webhooks/postgres')
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: 5 })
  const store = createPostgresStore({ query: (text, values) => pool.query(text, values) })
  return { store, close: () => pool.end() }
}
