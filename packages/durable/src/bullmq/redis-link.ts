import { systemClock, withTimeLimit } from '@modelrun/kit'
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
  // After a failover the old primary is a replica: a new connection leads to the new primary.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
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
  #becomesReady: Promise<void> | undefined
  #hasWarned = false

  constructor(connection: string | RedisOptions, onError: (error: unknown) => void) {
    const isUrl = typeof connection === 'string'
    this.#redis = isUrl ? new Redis(connection, SETTINGS) : new Redis({ ...connection, ...SETTINGS })
    this.#redis.on('error', onError)
    for (const [name, script] of Object.entries(SCRIPTS)) this.#redis.defineCommand(name, script)
  }

  /** Returns the client once it is connected. Rejects after two seconds without a connection. */
  async ready(): Promise<Redis> {
    if (this.#redis.status !== 'ready') await within(this.#untilReady())
    return this.#redis
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

  /** Runs commands of Redis, within the time limit. */
  do<Value>(commands: (redis: Redis) => Promise<Value>): Promise<Value> {
    return within(this.ready().then(commands))
  }

  run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    // `defineCommand` has made the method, which ioredis does not type. It sends the script again when Redis has forgotten it.
    return this.do((redis) => (redis as unknown as Record<ScriptName, Script>)[name](...keys, ...args))
  }

  /**
   * Checks the settings of Redis, and the version of what the engine has stored.
   *
   * @throws ConfigurationError when Redis may evict tasks, is a cluster, or denies a command, or a newer version has stored them
   */
  async check(versionKey: string): Promise<void> {
    const redis = await this.ready()
    try {
      const info = (await Promise.all(['memory', 'persistence', 'cluster'].map((part) => redis.info(part)))).join('')
      this.#checkInfo(info)
      await redis.set(versionKey, VERSION, 'NX')
      const version = Number(await redis.get(versionKey))
      if (version > VERSION) throw tooNew(version, VERSION)
    } catch (cause) {
      if (!String(cause).includes('NOPERM')) throw cause
      const message = `The user of Redis lacks a right: ${String(cause)}. The engine needs ~* (or its prefix), +@all without @admin and with +info: see "Redis" in the guide of engines.`
      throw new ConfigurationError({ message, cause })
    }
  }

  #checkInfo(info: string): void {
    if (/cluster_enabled:1/.test(info)) {
      const message =
        'This Redis is a cluster, on which the engine does not work: its keys lie on several nodes. Use a single Redis, with replicas or Sentinel, or createPostgresEngine.'
      throw new ConfigurationError({ message })
    }
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? []
    if (policy !== 'noeviction') {
      const message = `Redis has maxmemory-policy ${policy}: it evicts tasks when its memory is full. Set it to noeviction.`
      throw new ConfigurationError({ message })
    }
    if (/aof_enabled:0/.test(info)) this.#warn()
  }

  #warn(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    process.emitWarning(
      'Redis has appendonly no: when it restarts, it forgets what was stored since its last snapshot, and runs that were sent since are sent and paid again. Set appendonly yes and appendfsync always.',
    )
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => this.#redis.disconnect())
  }
}

type Script = (...args: readonly (string | number)[]) => Promise<unknown>

/** Rejects when a promise takes longer than two seconds. */
export function within<Value>(promise: Promise<Value>): Promise<Value> {
  const onLate = () => {
    throw new Error(`Redis did not respond within ${LIMIT_MS} ms.`)
  }
  return withTimeLimit(promise, { clock: systemClock, limitMs: LIMIT_MS, onLate })
}
