import type { Queue, Worker } from 'bullmq'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import {
  type LockedTask,
  type LockedTasks,
  type LockRequest,
  POISON_AFTER,
  SUSPECT_AFTER,
  type TaskEnd,
  type TaskTable,
} from '../engine/task-table.ts'
import type { BullmqQueues } from './bullmq-queues.ts'
import { endJob, fetchJobs, type HeldJob, isDone, sortJobs } from './held-jobs.ts'
import { fromJobId, toJobId } from './job-id.ts'
import { type Row, toRecord } from './job-record.ts'
import { type RedisLink, within } from './redis-link.ts'

/** The scores of BullMQ's delayed tasks are milliseconds times this. */
const SCORES_PER_MS = 0x1000

/** The tasks of BullMQ. Its worker runs nothing by itself: it is asked for each task, as BullMQ's guide for that says. */
export class BullmqTable implements TaskTable {
  readonly #link: RedisLink
  readonly #queues: BullmqQueues
  readonly #tallies: string
  readonly #held = new Map<string, HeldJob>()

  constructor(link: RedisLink, queues: BullmqQueues, tallies: string) {
    this.#link = link
    this.#queues = queues
    this.#tallies = tallies
  }

  setup(): Promise<void> {
    return this.#link.check()
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
    if (pausedMs > 0) return { tasks: [], nextMs: pausedMs, hasSuspect: false }
    const fetched = await this.#begin(await fetchJobs(worker, starts), { worker, alone })
    // From here on nothing rejects, and as little as can be is waited for: what has begun must run, or it counts as lost.
    const { kept, hasSuspect, hasPoison } = await sortJobs(fetched, alone)
    const unused = starts - kept.length
    if (spacing !== undefined && unused > 0) {
      const isGivenBack = this.#link.giveBack(keys.nextStart, unused * stepMs).catch(() => {})
      if (kept.length === 0) await isGivenBack
    }
    const tasks = kept.map((held) => this.#hold(queue, held))
    return { tasks, hasSuspect, nextMs: waitMs > 0 && unused === 0 ? waitMs : hasPoison ? 0 : dueMs }
  }

  async #begin(
    fetched: Awaited<ReturnType<typeof fetchJobs>>,
    { worker, alone }: { worker: Worker; alone: boolean },
  ): Promise<HeldJob[]> {
    if (fetched.length === 0) return []
    const tasks = fetched.flatMap(({ job }) => [String(job.id), job.attemptsStarted])
    const args = [worker.toKey(''), alone ? 1 : 0, SUSPECT_AFTER, POISON_AFTER, ...tasks]
    const losses = (await this.#link.run('modelrunBegin', [], args)) as number[]
    return fetched.map((one, index) => ({ ...one, lost: losses[index] ?? 0 }))
  }

  #hold(queue: string, held: HeldJob): LockedTask {
    const { id, data, attemptsMade, attemptsStarted } = held.job
    this.#held.set(heldKey(queue, fromJobId(String(id))), held)
    return { id: fromJobId(String(id)), data, attempts: attemptsMade, lost: held.lost, fence: attemptsStarted }
  }

  #heldWith(queue: string, id: string, fence: number): HeldJob | undefined {
    const held = this.#held.get(heldKey(queue, id))
    return held?.job.attemptsStarted === fence ? held : undefined
  }

  async #msUntilDue(worker: Worker): Promise<number | undefined> {
    const score = await this.#link.firstScore(worker.toKey('delayed'))
    return score === undefined ? undefined : Math.max(0, score / SCORES_PER_MS - Date.now())
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const held = [...fences].flatMap(([id, fence]) => this.#heldWith(queue, id, fence) ?? [])
    const jobIds = held.map(({ job }) => String(job.id))
    const worker = held[0]?.worker
    if (worker === undefined) return new Set()
    const tokens = held.map(({ token }) => token)
    const lost = new Set((await within(worker.extendJobLocks(jobIds, tokens, lockMs))).map(fromJobId))
    for (const id of lost) this.#held.delete(heldKey(queue, id))
    return new Set(jobIds.map(fromJobId).filter((id) => !lost.has(id)))
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    const held = this.#heldWith(queue, id, fence)
    if (held === undefined) return false
    if (end.kind === 'again' && end.pausesQueue) {
      await within(this.#link.run('modelrunPause', [this.#queues.ownKeys(queue).pause], [Math.ceil(end.delayMs)]))
    }
    const isPostponed = end.kind === 'again' || end.kind === 'failed'
    if (isPostponed) await within(this.#link.run('modelrunForget', [held.worker.toKey(String(held.job.id))], [fence]))
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

  async tally(name: string, amount: number, limit: number): Promise<number | undefined> {
    const most = Number.isFinite(limit) ? limit : ''
    const value = await within(this.#link.run('modelrunTally', [this.#tallies], [name, amount, most]))
    return value === null ? undefined : Number(value)
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

function heldKey(queue: string, id: string): string {
  return JSON.stringify([queue, id])
}

function stateKeys(jobs: Queue): string[] {
  return ['completed', 'failed', 'active'].map((type) => jobs.toKey(type))
}
