import { systemClock, withTimeLimit } from '@modelrun/kit'
import { RedisConnection } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigurationError } from 'modelrun'
import { tooNew } from '../engine/table-versions.ts'
import { SCRIPTS, type ScriptName } from './redis-scripts.ts'

/** Time limit of a change. */
const LIMIT_MS = 2_000

/** A connection without traffic for this time is closed, so that the next attempt gets a new one. */
const SILENCE_MS = 5_000

/**
 * During an outage commands fail soon instead of waiting in memory: the caller of `add` needs the error, and workers retry by
 * themselves. No command is sent twice, because a counter would count twice.
 */
const SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  socketTimeout: SILENCE_MS,
  // Settings that the engine relies on, and that the user's options must not change.
  lazyConnect: false,
  stringNumbers: false,
  replyMapping: 'legacy',
} as const satisfies RedisOptions

/** The version of what the engine stores. */
const VERSION = 1

/** The connection of an engine. No command blocks it, so all queues and workers of the engine share it. */
export class RedisLink {
  readonly #redis: Redis
  #connection: RedisConnection | undefined
  #becomesReady: Promise<void> | undefined
  #hasWarned = false

  constructor(connection: string | RedisOptions, onError: (error: unknown) => void) {
    const isUrl = typeof connection === 'string'
    this.#redis = isUrl ? new Redis(connection, SETTINGS) : new Redis({ ...connection, ...SETTINGS })
    this.#redis.on('error', onError)
    for (const [name, script] of Object.entries(SCRIPTS)) this.#redis.defineCommand(name, script)
  }

  /** Returns the connection for BullMQ. Rejects after two seconds without a connection. */
  async ready(): Promise<RedisConnection> {
    if (this.#redis.status !== 'ready') await within(this.#untilReady())
    this.#connection ??= this.#wrap()
    const connection = this.#connection
    try {
      await connection.client
    } catch (error) {
      if (this.#connection === connection) this.#connection = undefined
      throw error
    }
    return connection
  }

  #wrap(): RedisConnection {
    const connection = new RedisConnection(this.#redis, { shared: true, blocking: false })
    connection.on('error', () => {}) // the `error` listener of the Redis client reports it
    return connection
  }

  #untilReady(): Promise<void> {
    this.#becomesReady ??= new Promise((resolve) => {
      this.#redis.once('ready', () => {
        this.#becomesReady = undefined
        resolve()
      })
    })
    return this.#becomesReady
  }

  async run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const client = await (await this.ready()).client
    return client.runCommand(name, [...keys, ...args])
  }

  /**
   * Checks the settings of Redis, and the version of what the engine has stored.
   *
   * @throws ConfigurationError when Redis may evict tasks, or a newer version has stored them
   */
  async check(versionKey: string): Promise<void> {
    await this.ready()
    const info = `${await this.#redis.info('memory')}${await this.#redis.info('persistence')}`
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? []
    if (policy !== 'noeviction') throw evicts(policy)
    if (/aof_enabled:0/.test(info)) this.#warn()
    await this.#redis.set(versionKey, VERSION, 'NX')
    const version = Number(await this.#redis.get(versionKey))
    if (version > VERSION) throw tooNew(version, VERSION)
  }

  #warn(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    process.emitWarning(
      'Redis has appendonly no: when it restarts, it forgets what was stored since its last snapshot, and runs that were sent since are sent and paid again. Set appendonly yes and appendfsync always.',
    )
  }

  /** Returns the first score of a sorted set. */
  async firstScore(key: string): Promise<number | undefined> {
    const [, score] = await this.#redis.zrange(key, '0', '0', 'WITHSCORES')
    return score === undefined ? undefined : Number(score)
  }

  async remove(key: string): Promise<void> {
    await this.ready()
    await this.#redis.del(key)
  }

  async exists(key: string): Promise<boolean> {
    await this.ready()
    return (await this.#redis.exists(key)) === 1
  }

  async giveBack(key: string, ms: number): Promise<void> {
    await this.#redis.incrbyfloat(key, String(-ms))
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => this.#redis.disconnect())
  }
}

function evicts(policy: string): ConfigurationError {
  const message = `Redis has maxmemory-policy ${policy}: it evicts tasks when its memory is full. Set it to noeviction.`
  return new ConfigurationError({ message })
}

/** Rejects when a promise takes longer than two seconds. */
export function within<Value>(promise: Promise<Value>): Promise<Value> {
  const onLate = () => {
    throw new Error(`Redis did not respond within ${LIMIT_MS} ms.`)
  }
  return withTimeLimit(promise, { clock: systemClock, limitMs: LIMIT_MS, onLate })
}
