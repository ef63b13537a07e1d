import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { POSTGRES_PROGRAMS, startPostgres } from '../services/postgres.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { StoreSettings } from './receiver-settings.ts'

export type StoreKind = StoreSettings['kind']

/** The stores, and the programs that each needs. */
export const STORES: ReadonlyMap<StoreKind, readonly string[]> = new Map([
  ['sqlite', []],
  ['redis', REDIS_PROGRAMS],
  ['postgres', POSTGRES_PROGRAMS],
])

/** Starts an empty store, and ends it after its use. */
export async function withStore<T>(kind: StoreKind, use: (store: StoreSettings) => Promise<T>): Promise<T> {
  const { store, stop } = await START[kind]()
  try {
    return await use(store)
  } finally {
    await stop()
  }
}

interface StartedStore {
  store: StoreSettings
  stop(): Promise<void>
}

const START: Record<StoreKind, () => Promise<StartedStore>> = {
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modelrun-chaos-sqlite-'))
    const path = join(folder, 'inbox.db')
    return { store: { kind: 'sqlite', path }, stop: () => rm(folder, { recursive: true }) }
  },
  redis: async () => {
    const { port, stop } = await startRedis()
    return { store: { kind: 'redis', port }, stop }
  },
  postgres: async () => {
    const { url, stop } = await startPostgres()
    return { store: { kind: 'postgres', url }, stop }
  },
}
