import type { Job } from 'bullmq'
import type { RedisLink } from './redis-link.ts'

const STARTED = 'started:'

/** What the engine knows of a job beside BullMQ. */
export interface Notes {
  /** Runs whose process died after the mark. */
  readonly lost: number
  /** Failed attempts. */
  readonly attempts: number
  /** When the job is due, after it was postponed. */
  readonly dueAt: number | undefined
  /** When its last run was marked as started. */
  readonly startedAt: number | undefined
}

/**
 * The keys in Redis that are the engine's own. Each job has a hash: `started:<fence>` is the mark of a run that may have effects,
 * with its time; it goes when the run ends. `since` is the fence of the last run before a replay: earlier marks do not count.
 */
export class TaskNotes {
  readonly #link: RedisLink
  readonly #prefix: string

  constructor(link: RedisLink, prefix: string) {
    this.#link = link
    this.#prefix = prefix
  }

  /** A key of a queue: `done` and `dead` are the lists of ends, `seq` counts their positions, `pause` exists in a pause. */
  keyOf(queue: string, what: 'done' | 'dead' | 'seq' | 'pause'): string {
    return `${this.#prefix}-lists:${encodeURIComponent(queue)}:${what}`
  }

  /** With the time of the add: a removed job that is added again has notes of its own. */
  #notesOf(queue: string, { id, timestamp }: Job): string {
    return `${this.#prefix}-lists:${encodeURIComponent(queue)}:task:${timestamp}:${id}`
  }

  /** @param fence that of a run that has just started, which does not count */
  async read(queue: string, job: Job, fence?: number): Promise<Notes> {
    // Version 0.1.0 has stored two fields beside those of BullMQ, which nothing changes any more.
    const oldKey = `${this.#prefix}:${encodeURIComponent(queue)}:${job.id}`
    const [notes, [startedThen, lossesThen]] = await this.#link.do((redis) =>
      Promise.all([redis.hgetall(this.#notesOf(queue, job)), redis.hmget(oldKey, 'mr:started', 'mr:losses')]),
    )
    const lostThen = notes.since === undefined ? Number(lossesThen ?? 0) + (startedThen == null ? 0 : 1) : 0
    const fences = Object.keys(notes).flatMap((name) => (name.startsWith(STARTED) ? Number(name.split(':')[1]) : []))
    return {
      lost: fences.filter((one) => one > Number(notes.since ?? 0) && one !== fence).length + lostThen,
      attempts: Number(notes.attempts ?? 0),
      dueAt: toTime(notes.due),
      startedAt: toTime(notes.startedAt),
    }
  }

  /** Marks runs as started. Before their effects: the caller has to check afterwards that it still holds the locks. */
  async mark(queue: string, jobs: readonly Job[]): Promise<void> {
    const now = Date.now()
    await this.#each(queue, jobs, (key, { attemptsStarted }, redis) =>
      redis.multi().hsetnx(key, `${STARTED}${attemptsStarted}`, now).hset(key, 'startedAt', now).exec(),
    )
  }

  /** Removes the marks of runs that had no effects. */
  async unmark(queue: string, jobs: readonly Job[]): Promise<void> {
    await this.#each(queue, jobs, (key, { attemptsStarted }, redis) => redis.hdel(key, `${STARTED}${attemptsStarted}`))
  }

  #each(
    queue: string,
    jobs: readonly Job[],
    change: (key: string, job: Job, redis: Parameters<Parameters<RedisLink['do']>[0]>[0]) => Promise<unknown>,
  ): Promise<unknown> {
    return this.#link.do((redis) => Promise.all(jobs.map((job) => change(this.#notesOf(queue, job), job, redis))))
  }

  /** Notes that a run ended, and when the job is due again. */
  async postpone(queue: string, job: Job, { dueAt, failed }: { dueAt: number; failed: number }): Promise<void> {
    const key = this.#notesOf(queue, job)
    const mark = `${STARTED}${job.attemptsStarted}`
    await this.#link.do((redis) =>
      redis.multi().hdel(key, mark).hset(key, 'due', dueAt).hincrby(key, 'attempts', failed).exec(),
    )
  }

  /** Lets a dead job start from its first attempt. Before its replay: marks of later runs have higher fences. */
  async replay(queue: string, job: Job): Promise<void> {
    const notes = { since: job.attemptsStarted, attempts: 0, due: Date.now() }
    await this.#link.do((redis) => redis.hset(this.#notesOf(queue, job), notes))
  }

  /** Forgets a job that was removed. */
  async remove(queue: string, job: Job): Promise<void> {
    const [done, dead, id] = [this.keyOf(queue, 'done'), this.keyOf(queue, 'dead'), String(job.id)]
    await this.#link.do((redis) => redis.multi().del(this.#notesOf(queue, job)).zrem(done, id).zrem(dead, id).exec())
  }
}

function toTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
