import { RedisConnection } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigurationError } from 'modelrun'
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

/** The connection of an engine. No command blocks it, so all queues and workers of the engine share it. */
export class RedisLink {
  readonly #redis: Redis
  #connection: RedisConnection | undefined
  #becomesReady: Promise<void> | undefined

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

  /** @throws ConfigurationError when Redis may evict tasks */
  async check(): Promise<void> {
    await this.ready()
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(await this.#redis.info('memory')) ?? []
    if (policy === 'noeviction') return
    const message = `Redis has maxmemory-policy ${policy}: it evicts tasks when its memory is full. Set it to noeviction.`
    throw new ConfigurationError({ message })
  }

  /** Returns the first score of a sorted set. */
  async firstScore(key: string): Promise<number | undefined> {
    const [, score] = await this.#redis.zrange(key, '0', '0', 'WITHSCORES')
    return score === undefined ? undefined : Number(score)
  }

  async giveBack(key: string, ms: number): Promise<void> {
    await this.#redis.incrbyfloat(key, String(-ms))
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => this.#redis.disconnect())
  }
}

/** Rejects when a promise takes longer than two seconds. */
export async function within<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not respond within ${LIMIT_MS} ms.`)), LIMIT_MS)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
