import { RedisConnection } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigurationError } from 'modelrun'
import { SCRIPTS, type ScriptName } from './redis-scripts.ts'

/** Longest time until a change is made or has failed. */
const LIMIT_MS = 2_000

/** A Redis that is silent for so long is given up, so that the next attempt has a connection of its own. */
const SILENCE_MS = 5_000

/**
 * In an outage everything fails soon, instead of waiting in memory: who adds a task needs to know, and a worker repeats
 * it by itself. Nothing is sent twice: a counter would count twice.
 */
const SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  socketTimeout: SILENCE_MS,
  // What the options of the user could change, and the engine relies on.
  lazyConnect: false,
  stringNumbers: false,
  replyMapping: 'legacy',
} as const satisfies RedisOptions

/** The one connection of an engine. Nothing blocks on it, so all of its queues and workers share it. */
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

  /** The connection as BullMQ takes it. Rejects when there is none for two seconds. */
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
    connection.on('error', () => {}) // the connection of Redis itself notifies
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

  /** @throws ConfigurationError when Redis may throw tasks away */
  async check(): Promise<void> {
    await this.ready()
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(await this.#redis.info('memory')) ?? []
    if (policy === 'noeviction') return
    const message = `Redis has maxmemory-policy ${policy}: it throws tasks away when its memory is full. Set it to noeviction.`
    throw new ConfigurationError({ message })
  }

  /** When the first of the tasks that wait for a time is due; milliseconds since 1970. */
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
