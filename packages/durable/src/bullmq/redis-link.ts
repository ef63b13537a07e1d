import { systemClock, withTimeLimit } from '@modelrun/kit'
import { createRedisBackend, Queue, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigurationError } from 'modelrun'
import { tooNew } from '../engine/table-engine.ts'

const LIMIT_MS = 2_000

/** The version of what the engine stores. */
const VERSION = 1

/**
 * During an outage commands fail soon instead of waiting in memory: the caller of `add` needs the error, and workers retry by
 * themselves. No command is sent twice by itself.
 */
const SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // A silent connection is closed after this time, so that the next attempt gets a new one.
  socketTimeout: 5_000,
  // After a failover the old primary is a replica: a new connection leads to the new primary.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  // Settings that the engine relies on, and that the user's options must not change.
  lazyConnect: false,
  stringNumbers: false,
  replyMapping: 'legacy',
} as const satisfies RedisOptions

/** The connection of an engine, with its queues and workers. No command blocks it, so all share it. */
export type RedisLink = ReturnType<typeof openRedis>

export function openRedis(connection: string | RedisOptions, prefix: string, onError: (error: unknown) => void) {
  const isUrl = typeof connection === 'string'
  const redis = isUrl ? new Redis(connection, SETTINGS) : new Redis({ ...connection, ...SETTINGS })
  redis.on('error', onError)
  const queues = new Map<string, Queue>()
  const workers = new Map<string, Worker>()
  let becomesReady: Promise<void> | undefined
  const ready = async () => {
    if (redis.status === 'ready') return
    becomesReady ??= new Promise((resolve) => redis.once('ready', () => resolve()))
    await becomesReady
    becomesReady = undefined
  }
  /** BullMQ does not repeat a start that failed: the next call makes a new queue or worker. */
  const started = async <One extends Queue | Worker>(known: Map<string, One>, key: string, create: () => One) => {
    const one = known.get(key) ?? create()
    known.set(key, one)
    try {
      await one.waitUntilReady()
    } catch (error) {
      if (known.get(key) === one) known.delete(key)
      one.close().catch(onError)
      throw error
    }
    return one
  }
  const link = {
    /** Runs commands. Rejects when they take longer than two seconds, with the wait for the connection. */
    do<Value>(commands: (redis: Redis) => Promise<Value>): Promise<Value> {
      const limit = { clock: systemClock, limitMs: LIMIT_MS, name: 'Redis' }
      return withTimeLimit(() => ready().then(() => commands(redis)), limit).catch((error) => {
        throw explained(error)
      })
    },
    on: <Value>(name: string, commands: (jobs: Queue, redis: Redis) => Promise<Value>): Promise<Value> =>
      link.do(async () => {
        const create = () => new Queue(encodeURIComponent(name), { connection: redis, prefix }).on('error', onError)
        return commands(await started(queues, name, create), redis)
      }),
    /** Returns a worker that finds stalled jobs, and runs nothing by itself. Called when Redis is connected. */
    worker(name: string, lockMs: number, stepMs: number | undefined): Promise<Worker> {
      return started(workers, `${lockMs} ${stepMs} ${name}`, () => {
        const options = { ...workerOptions(lockMs, stepMs), connection: redis, prefix }
        // Without the connection that a worker would block to wait for jobs.
        const worker = new Worker(encodeURIComponent(name), null, options, (queue, given) =>
          createRedisBackend(queue, given, {}),
        )
        worker.on('error', onError).startStalledCheckTimer().catch(onError)
        return worker
      })
    },
    async close(): Promise<void> {
      await Promise.all([...workers.values(), ...queues.values()].map((one) => one.close()))
      await redis.quit().catch(() => redis.disconnect())
    },
  }
  return link
}

/** Says what an outage is, in place of the settings of this file by which `ioredis` notices it. */
function explained(error: unknown): unknown {
  if (!/MaxRetriesPerRequest|enableOfflineQueue|EPIPE|ECONNRESET/.test(String(error))) return error
  const message =
    'The connection to Redis was lost, and is being opened again. Workers continue by themselves, and other calls are safe to repeat.'
  return new Error(message, { cause: error })
}

function workerOptions(lockMs: number, stepMs: number | undefined) {
  return {
    autorun: false,
    lockDuration: lockMs,
    // Between two checks of all processes together there may be twice as long.
    stalledInterval: Math.ceil(lockMs / 20),
    // The engine decides how often a task may lose its process.
    maxStalledCount: 1_000_000_000,
    ...(stepMs === undefined ? {} : { limiter: { max: 1, duration: Math.ceil(stepMs) } }),
  }
}

/**
 * Checks the settings of Redis, and the version of what the engine has stored.
 *
 * @throws ConfigurationError when Redis may evict tasks or is a cluster, or a newer version has stored them
 */
export async function checkRedis(redis: Redis, versionKey: string): Promise<void> {
  const parts = ['memory', 'persistence', 'cluster'].map((part) => redis.info(part))
  const info = (await Promise.all(parts)).join('')
  if (/cluster_enabled:1/.test(info)) throw new ConfigurationError({ message: CLUSTER })
  if (/maxmemory_policy:(?!noeviction)/.test(info)) throw new ConfigurationError({ message: EVICTS })
  const version = Number(await redis.set(versionKey, VERSION, 'NX', 'GET'))
  if (version > VERSION) throw tooNew(version, VERSION)
  if (info.includes('aof_enabled:0')) process.emitWarning(FORGETS)
}

const CLUSTER =
  'This Redis is a cluster, on which the engine does not work: its keys lie on several nodes. Use a single Redis, with replicas or Sentinel, or createPostgresEngine.'

const EVICTS = 'Redis has a maxmemory-policy that evicts tasks when its memory is full. Set it to noeviction.'

const FORGETS =
  'Redis has appendonly no: when it restarts, it forgets what was stored since its last snapshot, and runs that were sent since are sent and paid again. Set appendonly yes and appendfsync always.'
