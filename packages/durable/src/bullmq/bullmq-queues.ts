import { hasMethods } from '@modelrun/kit'
import type { Queue, Worker } from 'bullmq'
import * as bullmq from 'bullmq'
import { ConfigurationError } from 'modelrun'
import type { RedisLink } from './redis-link.ts'

/** Disables a limit of BullMQ: the engine decides how often a task may lose its process. */
const NEVER = 1_000_000_000

/** The BullMQ queues and workers of one engine, on its one connection. */
export class BullmqQueues {
  readonly #link: RedisLink
  readonly #prefix: string
  readonly #onError: (error: unknown) => void
  readonly #queues = new Map<string, Queue>()
  readonly #workers = new Map<string, Worker>()

  /** @throws ConfigurationError when another major version of bullmq is installed */
  constructor(link: RedisLink, prefix: string, onError: (error: unknown) => void) {
    if (!hasMethods(bullmq, 'createRedisBackend')) {
      const message =
        'createBullmqEngine needs bullmq 6, and another major version is installed: `npm install bullmq@6`.'
      throw new ConfigurationError({ message })
    }
    this.#link = link
    this.#prefix = prefix
    this.#onError = onError
  }

  /** Returns a queue. Resolves once Redis is connected. */
  async queue(name: string): Promise<Queue> {
    const connection = await this.#link.ready()
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new bullmq.Queue(encodeURIComponent(name), { connection, prefix: this.#prefix })
    queue.on('error', this.#onError)
    this.#queues.set(name, queue)
    return queue
  }

  /** Returns a worker that finds stalled jobs, and runs nothing by itself. Resolves once Redis is connected. */
  async worker(name: string, { lockMs, stepMs }: { lockMs: number; stepMs: number | undefined }): Promise<Worker> {
    const connection = await this.#link.ready()
    const key = `${lockMs} ${stepMs} ${name}`
    const known = this.#workers.get(key)
    if (known !== undefined) return known
    const options = {
      connection,
      prefix: this.#prefix,
      autorun: false,
      lockDuration: lockMs,
      // Between two checks of all processes together there may be twice as long.
      stalledInterval: Math.ceil(lockMs / 20),
      maxStalledCount: NEVER,
      ...(stepMs === undefined ? {} : { limiter: { max: 1, duration: Math.ceil(stepMs) } }),
    }
    // Without the connection that a worker would block to wait for jobs.
    const worker = new bullmq.Worker(encodeURIComponent(name), null, options, (queue, given) =>
      bullmq.createRedisBackend(queue, given, {}),
    )
    worker.on('error', this.#onError)
    this.#workers.set(key, worker)
    await worker.startStalledCheckTimer()
    return worker
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers.values(), ...this.#queues.values()].map((one) => one.close()))
  }
}
