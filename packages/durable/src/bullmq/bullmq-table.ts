import type { LockedTask, LockedTasks, LockRequest, TaskEnd } from '@modelrun/kit'
import type { Queue, Worker } from 'bullmq'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import type { DurableTable } from '../engine/table-engine.ts'
import {
  endJob,
  type FetchedJob,
  fetchJobs,
  fromJobId,
  type HeldJob,
  isDone,
  type Row,
  sortJobs,
  toJobId,
  toRecord,
} from './bullmq-jobs.ts'
import type { BullmqQueues } from './bullmq-queues.ts'
import { type RedisLink, within } from './redis-link.ts'

/** BullMQ multiplies milliseconds by this in the scores of delayed jobs. */
const SCORES_PER_MS = 0x1000

/** The tasks in BullMQ. Jobs are fetched from its worker one by one, as in BullMQ's guide to manual processing. */
export class BullmqTable implements DurableTable {
  readonly #link: RedisLink
  readonly #queues: BullmqQueues
  readonly #tallies: string
  readonly #held = new Map<string, FetchedJob>()

  constructor(link: RedisLink, queues: BullmqQueues, tallies: string) {
    this.#link = link
    this.#queues = queues
    this.#tallies = tallies
  }

  setup(): Promise<void> {
    return this.#link.check(this.#queues.versionKey)
  }

  async add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    await this.#on(queue, (jobs) =>
      jobs.add('task', JSON.parse(data), { jobId: toJobId(id), delay: Math.ceil(delayMs) }),
    )
  }

  async lock({ queue, limit, alone, lockMs, spacing }: LockRequest): Promise<LockedTasks> {
    const worker = await this.#queues.worker(queue, lockMs)
    const keys = this.#queues.ownKeys(queue)
    const dueMs = await this.#msUntilDue(worker)
    const { slackMs, stepMs } = spacing ?? { slackMs: 0, stepMs: 0 }
    const grant = await this.#link.run('modelrunGrant', [keys.pause, keys.nextStart], [limit, slackMs, stepMs])
    const [starts = 0, waitMs = 0, pausedMs = 0] = grant as number[]
    if (pausedMs > 0) return { tasks: [], nextMs: pausedMs, hasSuspect: false, died: [] }
    const jobs = await fetchJobs(worker, starts)
    const fetched = await this.#countLosses(jobs, worker)
    // From here on nothing may reject: a task that was locked and does not run waits for the end of its lock.
    const { runnable, hasSuspect, died } = await sortJobs(fetched, alone)
    const unused = starts - runnable.length
    if (spacing !== undefined && unused > 0) {
      const isGivenBack = this.#link.giveBack(keys.nextStart, unused * stepMs).catch(() => {})
      if (runnable.length === 0) await isGivenBack
    }
    const nextMs = waitMs > 0 && unused === 0 ? waitMs : died.length > 0 ? 0 : dueMs
    return { tasks: runnable.map((held) => this.#hold(queue, held)), hasSuspect, nextMs, died: died.map(toLockedTask) }
  }

  async #countLosses(fetched: readonly FetchedJob[], worker: Worker): Promise<HeldJob[]> {
    if (fetched.length === 0) return []
    const tasks = fetched.flatMap(({ job }) => [String(job.id), job.attemptsStarted])
    const losses = (await this.#link.run('modelrunCountLosses', [], [worker.toKey(''), ...tasks])) as number[]
    return fetched.map((one, index) => ({ ...one, lost: losses[index] ?? 0, attempts: one.job.attemptsMade }))
  }

  #hold(queue: string, held: HeldJob): LockedTask {
    const task = toLockedTask(held)
    this.#held.set(heldKey(queue, task.id), held)
    return task
  }

  #heldWith(queue: string, id: string, fence: number): FetchedJob | undefined {
    const held = this.#held.get(heldKey(queue, id))
    return held?.job.attemptsStarted === fence ? held : undefined
  }

  #allHeldWith(queue: string, fences: ReadonlyMap<string, number>): FetchedJob[] {
    return [...fences].flatMap(([id, fence]) => this.#heldWith(queue, id, fence) ?? [])
  }

  async #msUntilDue(worker: Worker): Promise<number | undefined> {
    const score = await this.#link.firstScore(worker.toKey('delayed'))
    return score === undefined ? undefined : Math.max(0, score / SCORES_PER_MS - Date.now())
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const held = this.#allHeldWith(queue, fences)
    const jobIds = held.map(({ job }) => String(job.id))
    const worker = held[0]?.worker
    if (worker === undefined) return new Set()
    const tokens = held.map(({ token }) => token)
    const lost = new Set((await within(worker.extendJobLocks(jobIds, tokens, lockMs))).map(fromJobId))
    for (const id of lost) this.#held.delete(heldKey(queue, id))
    return new Set(jobIds.map(fromJobId).filter((id) => !lost.has(id)))
  }

  async markStarted(queue: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    const held = this.#allHeldWith(queue, fences)
    const worker = held[0]?.worker
    if (worker === undefined) return new Set()
    const tasks = held.flatMap(({ job, token }) => [String(job.id), job.attemptsStarted, token])
    const marks = await within(this.#link.run('modelrunMarkStarted', [], [worker.toKey(''), ...tasks]))
    const marked = held.filter((_, index) => (marks as number[])[index] === 1)
    return new Set(marked.map(({ job }) => fromJobId(String(job.id))))
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    const held = this.#heldWith(queue, id, fence)
    if (held === undefined) return false
    if (end.kind === 'again' && end.pausesQueue) {
      await this.pause(queue, end.delayMs)
    }
    const isPostponed = end.kind === 'again' || end.kind === 'failed'
    if (isPostponed) {
      const dueAt = Date.now() + Math.ceil(end.delayMs)
      await within(this.#link.run('modelrunPostpone', [held.worker.toKey(String(held.job.id))], [fence, dueAt]))
    }
    const isEnded = await within(isDone(endJob(held, end)))
    this.#held.delete(heldKey(queue, id))
    return isEnded
  }

  get(queue: string, id: string): Promise<TaskRecord | undefined> {
    const { open, done, dead } = this.#queues.ownKeys(queue)
    return this.#on(queue, async (jobs) => {
      const row = await this.#link.run(
        'modelrunGet',
        [...stateKeys(jobs), open, done, dead],
        [jobs.toKey(''), toJobId(id)],
      )
      return row === null ? undefined : toRecord(row as Row)
    })
  }

  list(
    queue: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number; after?: string | undefined },
  ): Promise<TaskRecord[]> {
    const { open, done, dead } = this.#queues.ownKeys(queue)
    const list = { waiting: open, running: open, done, dead }[state]
    return this.#on(queue, async (jobs) => {
      const rows = await this.#link.run(
        'modelrunList',
        [...stateKeys(jobs), list],
        [jobs.toKey(''), state, after, limit],
      )
      return (rows as Row[]).map(toRecord)
    })
  }

  count(queue: string): Promise<Record<TaskState, number>> {
    return this.#on(queue, async (jobs) => {
      const { active = 0, completed = 0, failed = 0, ...others } = await jobs.getJobCounts()
      const waiting = Object.values(others).reduce((sum, count) => sum + count, 0)
      return { waiting, running: active, done: completed, dead: failed }
    })
  }

  async pause(queue: string, ms: number): Promise<void> {
    await within(this.#link.run('modelrunPause', [this.#queues.ownKeys(queue).pause], [Math.ceil(ms)]))
  }

  resume(queue: string): Promise<void> {
    return within(this.#link.remove(this.#queues.ownKeys(queue).pause))
  }

  async isPaused(queue: string): Promise<boolean> {
    return within(this.#link.exists(this.#queues.ownKeys(queue).pause))
  }

  oldestDueMs(queue: string): Promise<number> {
    return this.#on(queue, async (jobs) => {
      const keys = [jobs.toKey('wait'), jobs.toKey('delayed')]
      return Number(await this.#link.run('modelrunOldestDue', keys, [jobs.toKey(''), Date.now(), SCORES_PER_MS]))
    })
  }

  async tally(name: string, amount: number, limit: number): Promise<number | undefined> {
    const most = Number.isFinite(limit) ? limit : ''
    const value = await within(this.#link.run('modelrunTally', [this.#tallies], [name, amount, most]))
    return value === null ? undefined : Number(value)
  }

  async reserve(name: string, part: string, { amount, limit }: { amount: number; limit: number }): Promise<boolean> {
    const values = [name, part, amount, limit]
    return (await within(this.#link.run('modelrunReserve', this.#partKeys(name), values))) === 1
  }

  async release(name: string, part: string): Promise<void> {
    await within(this.#link.run('modelrunRelease', this.#partKeys(name), [name, part]))
  }

  /** The parts of a counter have a key of their own, so that they can be deleted with their batch. */
  #partKeys(name: string): string[] {
    return [this.#tallies, `${this.#tallies}:${encodeURIComponent(name)}`]
  }

  replay(queue: string, id: string): Promise<boolean> {
    return this.#on(queue, async (jobs) => {
      const job = await jobs.getJob(toJobId(id))
      return job !== undefined && isDone(job.retry('failed', { resetAttemptsMade: true }))
    })
  }

  remove(queue: string, id: string): Promise<boolean> {
    return this.#on(queue, async (jobs) => (await jobs.remove(toJobId(id))) === 1)
  }

  async close(): Promise<void> {
    await this.#queues.close()
    await this.#link.close()
  }

  #on<Value>(queue: string, change: (jobs: Queue) => Promise<Value>): Promise<Value> {
    return within(this.#queues.queue(queue).then(change))
  }
}

function toLockedTask({ job, attempts, lost }: HeldJob): LockedTask {
  const { id, data, attemptsStarted } = job
  return { id: fromJobId(String(id)), data, attempts, lost, fence: attemptsStarted }
}

function heldKey(queue: string, id: string): string {
  return JSON.stringify([queue, id])
}

function stateKeys(jobs: Queue): string[] {
  return ['completed', 'failed', 'active'].map((type) => jobs.toKey(type))
}
