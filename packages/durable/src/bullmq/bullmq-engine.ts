/**
 * The engine on Redis by BullMQ, for any number of processes and machines.
 *
 * @module
 */
import { type Checks, isRecord, isText, must, readOptions } from '@modelrun/kit'
import type { RedisOptions } from 'ioredis'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, TABLE_ENGINE_OPTIONS, type TableEngineOptions, warnOnce } from '../engine/table-engine.ts'
import { createBullmqTable } from './bullmq-table.ts'
import { openRedis } from './redis-link.ts'

/** Options of `createBullmqEngine`. */
export interface BullmqEngineOptions extends TableEngineOptions {
  /**
   * The URL of Redis, or options of `ioredis` like `{ host, port, password }`. The engine opens one connection, with its own
   * settings for outages. Clusters are not supported.
   */
  connection: string | RedisOptions
  /** Prefix of all keys in Redis, as in BullMQ. Default `modelrun`. */
  prefix?: string | undefined
}

const OPTIONS: Checks<BullmqEngineOptions> = {
  // Without the value, which may hold a password.
  connection: (given) => (isConnection(given) ? undefined : NO_CONNECTION),
  prefix: must('a text', isText),
  ...TABLE_ENGINE_OPTIONS,
}

const NO_CONNECTION =
  'must be a URL like redis://localhost:6379, or options of ioredis without `url` and `keyPrefix`, not a client'

function isConnection(given: unknown): boolean {
  if (typeof given === 'string') return /^(rediss?|unix):/.test(given)
  return isRecord(given) && !['sendCommand', 'keyPrefix', 'url'].some((name) => name in given)
}

/**
 * Creates an engine on BullMQ 6 and Redis. Its tasks are jobs of BullMQ, which the tools of BullMQ show under encoded
 * names: the queue `runs:submit` is `runs%3Asubmit` there. Only this engine may add and run them, or their order and
 * limits are lost. Locks use the clock of Redis, delays the clock of the process. A `null` that a handler returns is
 * stored as no result.
 *
 * `setup()` rejects with ConfigurationError unless Redis has `maxmemory-policy noeviction`. Killed processes lose nothing. To
 * outlive a power failure or a kill of Redis, it needs `appendonly yes` and `appendfsync always`: else up to two seconds are
 * lost, and a run that was sent in that time is sent again. During an outage of Redis all methods reject within two seconds.
 *
 * @throws ConfigurationError when an option is wrong
 *
 * @example
 * const engine = createBullmqEngine({ connection: 'redis://localhost:6379' })
 * await engine.setup()
 */
export function createBullmqEngine(options: BullmqEngineOptions): Engine {
  const checked = readOptions('createBullmqEngine', options, OPTIONS)
  const { connection, prefix = 'modelrun', onError = warnOnce(), ...rest } = checked
  return createTableEngine(createBullmqTable(openRedis(connection, prefix, onError), prefix), { ...rest, onError })
}
