/**
 * The engine for those who have Redis: any number of processes and machines, by BullMQ.
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
   * The url of Redis, or options of `ioredis` like `{ host, port, password }`. The engine opens one connection, with its
   * own settings for outages. No cluster.
   */
  connection: string | RedisOptions
  /** Begins all keys in Redis, as the `prefix` of BullMQ does. Default `modelrun`. */
  prefix?: string | undefined
}

/**
 * An engine on BullMQ 6 and Redis. Its tasks are jobs of BullMQ, for its tools to show, under encoded names: the queue
 * `runs:submit` is `runs%3Asubmit` there. Only this engine adds and works them, or their order and their limits are lost.
 * Locks are by the clock of Redis, delays by that of the process. A `null` that a handler returns is kept as no result.
 *
 * `setup()` rejects with ConfigurationError unless Redis has `maxmemory-policy noeviction`. A process that is killed loses
 * nothing. For a machine that loses power, Redis needs `appendonly yes` and `appendfsync always`: else the last second is
 * lost, and a run that was sent in it is sent again.
 *
 * In an outage of Redis all methods reject within two seconds.
 *
 * @throws ConfigurationError when an option is wrong
 *
 * @example
 * const engine = createBullmqEngine({ connection: 'redis://localhost:6379' })
 * await engine.setup()
 */
export function createBullmqEngine(options: BullmqEngineOptions): Engine {
  const { connection, prefix = 'modelrun', onError = warnOnce(), pollMs } = options
  checkOptions(connection, prefix)
  const link = new RedisLink(connection, onError)
  const table = new BullmqTable(link, new BullmqQueues(link, prefix, onError), `${prefix}-tallies`)
  return createTableEngine(table, { pollMs, onError })
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
