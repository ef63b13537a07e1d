import type { Job, Queue } from 'bullmq'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import { stateOf, toJobId, toRecord } from './bullmq-jobs.ts'
import type { RedisLink } from './redis-link.ts'
import type { TaskNotes } from './task-notes.ts'

/** A page of a list. */
export interface List {
  limit: number
  after?: string | undefined
}

/** Marks cursors of delayed tasks. */
const DELAYED = 'd'

/** Reads the tasks of queues. */
export class BullmqLists {
  readonly #link: RedisLink
  readonly #notes: TaskNotes

  constructor(link: RedisLink, notes: TaskNotes) {
    this.#link = link
    this.#notes = notes
  }

  get(jobs: Queue, queue: string, id: string): Promise<TaskRecord | undefined> {
    return this.#read(queue, jobs, { jobId: toJobId(id), cursor: '0' })
  }

  /** First the state, then the job: a job that is not running in the first read was not locked then. */
  async #read(
    queue: string,
    jobs: Queue,
    { jobId, cursor }: { jobId: string; cursor: string },
  ): Promise<TaskRecord | undefined> {
    const state = await jobs.getJobState(jobId)
    const job: Job | undefined = await jobs.getJob(jobId)
    return job && this.#toRecord(queue, job, { state: stateOf(job, state), cursor })
  }

  async #toRecord(queue: string, job: Job, more: Pick<TaskRecord, 'state' | 'cursor'>): Promise<TaskRecord> {
    const notes = await this.#notes.read(queue, job)
    return toRecord(job, { ...more, notes })
  }

  /**
   * Lists the tasks of a state. `waiting` has the order of BullMQ: first what is due, in the order in which it will run, then what
   * is delayed. BullMQ sorts what has ended by milliseconds of several clocks, so the engine has a list of its own for these.
   */
  list(jobs: Queue, queue: string, { state, ...list }: List & { state: TaskState }): Promise<TaskRecord[]> {
    if (state === 'done' || state === 'dead') return this.#listEnded(queue, jobs, { ...list, state })
    return this.#listOpen(queue, jobs, { ...list, state })
  }

  async #listOpen(
    queue: string,
    jobs: Queue,
    { state, limit, after = '0' }: List & { state: 'waiting' | 'running' },
  ): Promise<TaskRecord[]> {
    const found: Promise<TaskRecord>[] = []
    for (const { type, from } of rangesAfter(state, after)) {
      const left = limit - found.length
      const page: Job[] = left === 0 ? [] : await jobs.getJobs([type], from, from + left - 1, true)
      for (const [index, job] of page.entries()) {
        const cursor = `${type === 'delayed' ? DELAYED : ''}${from + index + 1}`
        found.push(this.#toRecord(queue, job, { state, cursor }))
      }
    }
    return Promise.all(found)
  }

  async #listEnded(
    queue: string,
    jobs: Queue,
    { state, limit, after = '0' }: List & { state: 'done' | 'dead' },
  ): Promise<TaskRecord[]> {
    const found: TaskRecord[] = []
    for (let from = after; found.length < limit; ) {
      const page = await this.#link.do((redis) =>
        redis.zrangebyscore(this.#notes.keyOf(queue, state), `(${from}`, '+inf', 'WITHSCORES', 'LIMIT', 0, limit),
      )
      if (page.length === 0) return found
      const places = page.flatMap((jobId, index) =>
        index % 2 === 0 ? [{ jobId, cursor: String(page[index + 1]) }] : [],
      )
      const records = await Promise.all(places.map((place) => this.#read(queue, jobs, place)))
      for (const record of records) {
        // It is ending right now: the next page starts with it.
        if (record?.state === 'running') return found
        // Another one was replayed or removed, and has a new place once it ends again.
        if (record?.state === state && found.length < limit) found.push(record)
      }
      from = places.at(-1)?.cursor ?? from
    }
    return found
  }

  async msUntilDue(jobs: Queue, queue: string): Promise<number | undefined> {
    const oldest: Job[] = [
      ...(await jobs.getJobs(['wait'], 0, 0, true)),
      ...(await jobs.getJobs(['delayed'], 0, 0, true)),
    ]
    const dueAts = oldest.map(async (job) => {
      const { dueAt } = await this.#notes.read(queue, job)
      return dueAt ?? job.timestamp + (job.opts.delay ?? 0)
    })
    return oldest.length === 0 ? undefined : Math.min(...(await Promise.all(dueAts))) - Date.now()
  }

  async count(jobs: Queue): Promise<Record<TaskState, number>> {
    const { active = 0, completed = 0, failed = 0, ...others } = await jobs.getJobCounts()
    const waiting = Object.values(others).reduce((sum, count) => sum + count, 0)
    return { waiting, running: active, done: completed, dead: failed }
  }
}

/** The lists of BullMQ that have open tasks of a state, and where to read on in each. */
function rangesAfter(state: 'waiting' | 'running', after: string) {
  if (state === 'running') return [{ type: 'active', from: Number(after) }] as const
  if (after.startsWith(DELAYED)) return [{ type: 'delayed', from: Number(after.slice(DELAYED.length)) }] as const
  return [
    { type: 'wait', from: Number(after) },
    { type: 'delayed', from: 0 },
  ] as const
}
