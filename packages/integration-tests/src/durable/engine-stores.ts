import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '@modelrun/durable'
import { POSTGRES_PROGRAMS, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import { type EngineAt, openEngine } from './open-engine.ts'

interface RunningStore {
  engineAt: EngineAt
  stop(): Promise<void>
}

async function startSqlite(): Promise<RunningStore> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-engine-'))
  const stop = () => rm(folder, { recursive: true })
  return { engineAt: { kind: 'sqlite', at: join(folder, 'tasks.db') }, stop }
}

async function startPostgresStore(): Promise<RunningStore> {
  const { url, stop } = await startPostgres()
  return { engineAt: { kind: 'postgres', at: url }, stop }
}

async function startRedisStore(): Promise<RunningStore> {
  const { port, stop } = await startRedis()
  return { engineAt: { kind: 'bullmq', at: `redis://127.0.0.1:${port}` }, stop }
}

/** A store, and an engine on it. */
export interface OpenStore {
  engineAt: EngineAt
  engine: Engine
  close(): Promise<void>
}

/** A kind of store. */
export interface EngineStore {
  kind: EngineAt['kind']
  title: string
  /** Whether its programs are missing on this machine. */
  isMissing: boolean
  /** Starts an empty one. */
  start(): Promise<RunningStore>
  open(): Promise<OpenStore>
}

/** Starts a store, and opens its engine. */
async function openStore(start: () => Promise<RunningStore>): Promise<OpenStore> {
  const { engineAt, stop } = await start()
  const engine = openEngine(engineAt)
  await engine.setup()
  const close = async () => {
    await engine.close()
    await stop()
  }
  return { engineAt, engine, close }
}

/** The engines, each with a store of its own, for `describe.each`. */
export const ENGINE_STORES: readonly EngineStore[] = [
  { kind: 'sqlite' as const, name: 'SQLite', isMissing: false, note: '', start: startSqlite },
  { kind: 'postgres' as const, name: 'Postgres', ...needs(...POSTGRES_PROGRAMS), start: startPostgresStore },
  { kind: 'bullmq' as const, name: 'BullMQ', ...needs(...REDIS_PROGRAMS), start: startRedisStore },
].map(({ name, note, start, ...rest }) => ({ ...rest, title: `${name}${note}`, start, open: () => openStore(start) }))
