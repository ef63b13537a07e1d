/**
 * The engine on Redis by BullMQ, for any number of processes and machines.
 *
 * @module
 */
import type { RedisOptions } from 'ioredis'
import { ConfigurationError } from 'modelrun'
import type { Engine } from '../engine/engine.ts'
import { createTableEngine, type TableEngineOptions, warnOnce } from '../engine/table-engine.ts'
import { BullmqQueues } from './bullmq-queues.ts'
import { BullmqTable } from './bullmq-table.ts'
import { RedisLink } from './redis-link.ts'

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

/**
 * Creates an engine on BullMQ 6.4 to 6.7 and Redis. Its tasks are jobs of BullMQ, which the tools of BullMQ show under encoded
 * names: the queue `runs:submit` is `runs%3Asubmit` there. Only this engine may add and run them, or their order and
 * limits are lost. Locks use the clock of Redis, delays the clock of the process. A `null` that a handler returns is
 * stored as no result.
 *
 * `setup()` rejects with ConfigurationError unless Redis has `maxmemory-policy noeviction`. Killed processes lose nothing. To
 * outlive a power failure, Redis needs `appendonly yes` and `appendfsync always`: else the last second is lost, and a run
 * that was sent in it is sent again.
 *
 * During an outage of Redis all methods reject within two seconds.
 *
 * @throws ConfigurationError when an option is wrong
 *
 * @example
 * const engine = createBullmqEngine({ connection: 'redis://localhost:6379' })
 * await engine.setup()
 */
export function createBullmqEngine(options: BullmqEngineOptions): Engine {
  const { connection, prefix = 'modelrun', onError = warnOnce(), ...rest }: BullmqEngineOptions = Object(options)
  checkOptions(connection, prefix)
  const link = new RedisLink(connection, onError)
  const table = new BullmqTable(link, new BullmqQueues(link, prefix, onError), `${prefix}-tallies`)
  return createTableEngine(table, { ...rest, onError })
}

function checkOptions(connection: unknown, prefix: string): void {
  const isUrl = typeof connection === 'string' && /^(rediss?|unix):/.test(connection)
  const isOptions = typeof connection === 'object' && connection !== null && !('sendCommand' in connection)
  if (!isUrl && !isOptions) {
    const message =
      'createBullmqEngine needs connection: a url like redis://localhost:6379, or options of ioredis, not a client.'
    throw new ConfigurationError({ message })
  }
  if (isOptions && 'keyPrefix' in connection) {
    throw new ConfigurationError({ message: 'BullMQ does not work with keyPrefix in connection. Use prefix.' })
  }
  if (isOptions && 'url' in connection) {
    throw new ConfigurationError({ message: 'ioredis ignores url in its options. Give the url itself as connection.' })
  }
  if (typeof prefix !== 'string' || prefix === '') {
    throw new ConfigurationError({
      message: `createBullmqEngine takes prefix: a text. It got ${JSON.stringify(prefix)}.`,
    })
  }
}
