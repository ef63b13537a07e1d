import type { LockedTask, LockedTasks, LockRequest, TaskEnd } from '@modelrun/kit'
import type { Job, Queue, Worker } from 'bullmq'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import type { DurableTable } from '../engine/table-engine.ts'
import {
  endJob,
  fetchJobs,
  fromJobId,
  type HeldJob,
  heldKey,
  isDone,
  stateOf,
  toJobId,
  toLockedTask,
  updateJob,
} from './bullmq-jobs.ts'
import { BullmqLists, type List } from './bullmq-lists.ts'
import type { BullmqQueues } from './bullmq-queues.ts'
import { type RedisLink, within } from './redis-link.ts'
import { TaskNotes } from './task-notes.ts'

/** The tasks in BullMQ, by its public interface. Jobs are fetched one by one, as in its guide to manual processing. */
export class BullmqTable implements DurableTable {
  readonly #link: RedisLink
  readonly #queues: BullmqQueues
  readonly #prefix: string
  readonly #notes: TaskNotes
  readonly #lists: BullmqLists
  readonly #held = new Map<string, HeldJob>()

  constructor(link: RedisLink, queues: BullmqQueues, prefix: string) {
    this.#link = link
    this.#queues = queues
    this.#prefix = prefix
    this.#notes = new TaskNotes(link, prefix)
    this.#lists = new BullmqLists(link, this.#notes)
  }

  setup(): Promise<void> {
    return this.#link.check(`${this.#prefix}-version`)
  }

  async add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    await this.#on(queue, (jobs) =>
      jobs.add('task', JSON.parse(data), { jobId: toJobId(id), delay: Math.ceil(delayMs) }),
    )
  }

  async lock({ queue, limit, lockMs, spacing }: LockRequest): Promise<LockedTasks> {
    const pausedMs = await this.#link.do((redis) => redis.pttl(this.#notes.keyOf(queue, 'pause')))
    if (pausedMs > 0) return { tasks: [], nextMs: pausedMs }
    const worker = await this.#queues.worker(queue, { lockMs, stepMs: spacing?.stepMs })
    const fetched = await this.#fetch(queue, worker, { most: limit, lockMs })
    // From here on nothing may reject: a task that was locked and does not run waits for the end of its lock.
    const nextMs = spacing && fetched.length > 0 ? Math.ceil(spacing.stepMs) : await this.#limitedMs(queue, spacing)
    return { tasks: fetched.map((held) => this.#hold(queue, held)), nextMs }
  }

  /** How long the rate allows no start. */
  async #limitedMs(queue: string, spacing: LockRequest['spacing']): Promise<number | undefined> {
    if (spacing === undefined) return undefined
    const ttlMs = await this.#on(queue, (jobs) => jobs.getRateLimitTtl(1)).catch(() => 0)
    return ttlMs > 0 ? ttlMs : undefined
  }

  async #fetch(queue: string, worker: Worker, { most, lockMs }: { most: number; lockMs: number }): Promise<HeldJob[]> {
    const jobs = await fetchJobs(worker, most)
    if (jobs.length === 0) return []
    return Promise.all(
      jobs.map(async ({ job, token }) => {
        const { lost, attempts } = await this.#notes.read(queue, job, job.attemptsStarted)
        return { job, token, worker, lockMs, lost, attempts: attempts + job.attemptsMade }
      }),
    )
  }

  #hold(queue: string, held: HeldJob): LockedTask {
    const task = toLockedTask(held)
    this.#held.set(heldKey(queue, task.id), held)
    return task
  }

  #heldWith(queue: string, fences: ReadonlyMap<string, number>): HeldJob[] {
    return [...fences].flatMap(([id, fence]) => {
      const held = this.#held.get(heldKey(queue, id))
      return held?.job.attemptsStarted === fence ? held : []
    })
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const kept = await this.#renew(this.#heldWith(queue, fences), lockMs)
    for (const id of fences.keys()) if (!kept.has(id)) this.#held.delete(heldKey(queue, id))
    return kept
  }

  async #renew(held: readonly HeldJob[], lockMs: number): Promise<ReadonlySet<string>> {
    const worker = held[0]?.worker
    if (worker === undefined) return new Set()
    const jobIds = held.map(({ job }) => String(job.id))
    const tokens = held.map(({ token }) => token)
    const lost = await within(worker.extendJobLocks(jobIds, tokens, lockMs))
    return new Set(jobIds.filter((id) => !lost.includes(id)).map(fromJobId))
  }

  /**
   * First the mark, then the renewal of the lock, which shows whether it held: who locks the task next sees the mark of a run that
   * continues from here, because no other worker can lock it in between.
   */
  async markStarted(queue: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    const held = this.#heldWith(queue, fences)
    await this.#notes.mark(
      queue,
      held.map(({ job }) => job),
    )
    const marked = await this.#renew(held, held[0]?.lockMs ?? 0)
    const late = held.filter(({ job }) => !marked.has(fromJobId(job.id)))
    await this.#notes.unmark(
      queue,
      late.map(({ job }) => job),
    )
    return marked
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    const [held] = this.#heldWith(queue, new Map([[id, fence]]))
    if (held === undefined) return false
    if (end.kind === 'again' && end.pausesQueue) await this.pause(queue, end.delayMs)
    const isEnded = await within(this.#endHeld(queue, held, end))
    this.#held.delete(heldKey(queue, id))
    return isEnded
  }

  async #endHeld(queue: string, held: HeldJob, end: TaskEnd): Promise<boolean> {
    const { job } = held
    if (end.kind === 'done' || end.kind === 'dead') {
      // Before the end: a list then shows it as soon as it has ended, and no crash in between hides it.
      const keys = [this.#notes.keyOf(queue, end.kind), this.#notes.keyOf(queue, 'seq')]
      await this.#link.run('modelrunPlace', keys, [String(job.id)])
    } else {
      const dueAt = Date.now() + Math.ceil(end.delayMs)
      await this.#notes.postpone(queue, job, { dueAt, failed: end.kind === 'failed' ? 1 : 0 })
    }
    return endJob(held, end)
  }

  get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return this.#on(queue, (jobs) => this.#lists.get(jobs, queue, id))
  }

  list(queue: string, state: TaskState, list: List): Promise<TaskRecord[]> {
    return this.#on(queue, (jobs) => this.#lists.list(jobs, queue, { ...list, state }))
  }

  count(queue: string): Promise<Record<TaskState, number>> {
    return this.#on(queue, (jobs) => this.#lists.count(jobs))
  }

  async pause(queue: string, ms: number): Promise<void> {
    const pause = this.#notes.keyOf(queue, 'pause')
    await this.#link.do(async (redis) => {
      // Keeps the longer of two pauses.
      if ((await redis.set(pause, 1, 'PX', Math.ceil(ms), 'NX')) === null)
        await redis.pexpire(pause, Math.ceil(ms), 'GT')
    })
  }

  async resume(queue: string): Promise<void> {
    await this.#link.do((redis) => redis.del(this.#notes.keyOf(queue, 'pause')))
  }

  isPaused(queue: string): Promise<boolean> {
    return this.#link.do(async (redis) => (await redis.exists(this.#notes.keyOf(queue, 'pause'))) === 1)
  }

  msUntilDue(queue: string): Promise<number | undefined> {
    return this.#on(queue, (jobs) => this.#lists.msUntilDue(jobs, queue))
  }

  async total(name: string): Promise<number> {
    return Number(await this.#link.do((redis) => redis.hget(this.#tallies, name)))
  }

  async reserve(name: string, part: string, { amount, limit }: { amount: number; limit: number }): Promise<boolean> {
    return (await this.#link.run('modelrunReserve', this.#partKeys(name), [name, part, amount, limit])) === 1
  }

  async release(name: string, part: string): Promise<void> {
    await this.#link.run('modelrunRelease', this.#partKeys(name), [name, part])
  }

  get #tallies(): string {
    return `${this.#prefix}-tallies`
  }

  /** The parts of a counter have a key of their own, so that they can be deleted with their batch. */
  #partKeys(name: string): string[] {
    return [this.#tallies, `${this.#tallies}:${encodeURIComponent(name)}`]
  }

  update(queue: string, id: string, data: string): Promise<boolean> {
    return this.#on(queue, (jobs) => updateJob(jobs, id, JSON.parse(data)))
  }

  replay(queue: string, id: string): Promise<boolean> {
    return this.#on(queue, async (jobs) => {
      const job: Job | undefined = await jobs.getJob(toJobId(id))
      if (job === undefined || stateOf(job, '') !== 'dead') return false
      await this.#notes.replay(queue, job)
      return isDone(job.retry('failed', { resetAttemptsMade: true }))
    })
  }

  remove(queue: string, id: string): Promise<boolean> {
    return this.#on(queue, async (jobs) => {
      const jobId = toJobId(id)
      const job: Job | undefined = await jobs.getJob(jobId)
      if (job === undefined || (await jobs.remove(jobId)) !== 1) return false
      await this.#notes.remove(queue, job)
      return true
    })
  }

  async close(): Promise<void> {
    await this.#queues.close()
    await this.#link.close()
  }

  #on<Value>(queue: string, change: (jobs: Queue) => Promise<Value>): Promise<Value> {
    return within(this.#queues.queue(queue).then(change))
  }
}
