import { type BackendFactory, Queue, QueueKeys, type RedisConnection, type RedisQueueBackend, Worker } from 'bullmq'
import { ListedBackend, type ListKeys } from './listed-backend.ts'
import type { RedisLink } from './redis-link.ts'

/** The keys of a queue that this engine adds to those of BullMQ. */
export interface OwnKeys extends ListKeys {
  /** Exists while the queue is paused. */
  pause: string
  /** When the next task may start, by the clock of Redis. */
  nextStart: string
}

/** Disables a limit of BullMQ: the engine decides how often a task may lose its process. */
const NEVER = 1_000_000_000

/** The BullMQ queues and workers of one engine, on its one connection. */
export class BullmqQueues {
  readonly #link: RedisLink
  readonly #prefix: string
  readonly #onError: (error: unknown) => void
  readonly #queues = new Map<string, Queue>()
  readonly #workers = new Map<string, Worker>()

  constructor(link: RedisLink, prefix: string, onError: (error: unknown) => void) {
    this.#link = link
    this.#prefix = prefix
    this.#onError = onError
  }

  /** Returns a queue. Resolves once Redis is connected. */
  async queue(name: string): Promise<Queue> {
    const connection = await this.#link.ready()
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue(encodeURIComponent(name), this.#options(), this.#backendOn(connection, name))
    queue.on('error', this.#onError)
    this.#queues.set(name, queue)
    return queue
  }

  /** Returns a worker that finds stalled jobs, and runs nothing by itself. Resolves once Redis is connected. */
  async worker(name: string, lockMs: number): Promise<Worker> {
    const connection = await this.#link.ready()
    const key = `${lockMs} ${name}`
    const known = this.#workers.get(key)
    if (known !== undefined) return known
    const options = {
      ...this.#options(),
      autorun: false,
      lockDuration: lockMs,
      // Between two checks of all processes together there may be twice as long.
      stalledInterval: Math.ceil(lockMs / 20),
      maxStalledCount: NEVER,
    }
    const worker = new Worker(encodeURIComponent(name), null, options, this.#backendOn(connection, name))
    worker.on('error', this.#onError)
    this.#workers.set(key, worker)
    await worker.startStalledCheckTimer()
    return worker
  }

  get versionKey(): string {
    return `${this.#prefix}-version`
  }

  ownKeys(name: string): OwnKeys {
    const key = (last: string) => `${this.#prefix}-lists:${encodeURIComponent(name)}:${last}`
    return {
      open: key('open'),
      done: key('done'),
      dead: key('dead'),
      seq: key('seq'),
      pause: key('pause'),
      nextStart: key('next-start'),
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers.values(), ...this.#queues.values()].map((one) => one.close()))
  }

  #options() {
    // The backend has the connection.
    return { connection: {}, prefix: this.#prefix }
  }

  #backendOn(connection: RedisConnection, queue: string): BackendFactory<RedisQueueBackend> {
    return (name, options) => {
      const keys = new QueueKeys(this.#prefix)
      const toKey = (type: string) => keys.toKey(name, type)
      return new ListedBackend(
        this.ownKeys(queue),
        connection,
        name,
        keys.getKeys(name),
        toKey,
        options,
        undefined,
        false,
      )
    }
  }
}
