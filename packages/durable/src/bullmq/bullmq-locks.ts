import type { LockedOne, LockedTask, LockOneRequest, LockRequest, TaskEnd } from '@modelrun/kit'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { TaskLocks } from '../engine/table-engine.ts'
import type { RedisLink } from './redis-link.ts'
import { fromJobId, isDone, notesKey, queueKey, readJob, readNotes, toJobId } from './task-job.ts'

/** A job that this process has locked. Its token is of this run alone, so that a late handler cannot end a later run. */
interface HeldJob extends Pick<LockedTask, 'lost' | 'attempts'> {
  job: Job
  jobs: Queue
  redis: Redis
  token: string
  lockMs: number
}

/** Puts the task `ARGV[1]` at the end of the list of ends `KEYS[1]`. `KEYS[2]` is the counter of positions. */
const PLACE = `return redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])`

/** Locks jobs one by one, as in the guide of BullMQ to manual processing, and changes them until they end. */
export function createLocks(link: RedisLink): TaskLocks {
  const held = new Map<string, HeldJob>()
  const fetchNext = ({ queue, lockMs, spacing }: Omit<LockRequest, 'limit'>): Promise<HeldJob | undefined> =>
    link.on(queue, async (jobs, redis) => {
      const token = crypto.randomUUID()
      const worker = await link.worker(queue, lockMs, spacing?.stepMs)
      const job: Job | undefined = await worker.getNextJob(token, { block: false })
      return job && { job, jobs, redis, token, lockMs, ...(await readNotes(redis, job, job.attemptsStarted)) }
    })
  const hold = (queue: string, one: HeldJob): LockedTask => {
    const task = toTask(one)
    held.set(heldKey(queue, task.id, task.fence), one)
    return task
  }
  // BullMQ locks no job by its id: the job is put in front, and what is in front is locked. Another job is put back.
  const lockInFront = async (request: LockOneRequest): Promise<LockedOne> => {
    const { queue, id, lockMs, spacing } = request
    const wait = await link.on(queue, async (jobs, redis) => {
      // From now on this process finds jobs whose process died.
      await link.worker(queue, lockMs, spacing?.stepMs)
      return putInFront(jobs, redis, request)
    })
    if (wait !== undefined) return { task: undefined, ...wait }
    const one = await fetchNext(request)
    if (one?.job.id === toJobId(id)) return { task: hold(queue, one) }
    await link.do(async () => one?.job.moveToWait(one.token))
    return { task: undefined, isRunning: false, waitMs: 0 }
  }
  let lastLock: Promise<unknown> = Promise.resolve()
  const keep = async (
    queue: string,
    fences: ReadonlyMap<string, number>,
    change: (one: HeldJob) => Promise<boolean>,
  ) => {
    const kept = [...fences].map(async ([id, fence]) => {
      const one = held.get(heldKey(queue, id, fence))
      return one !== undefined && (await link.do(() => change(one))) ? [id] : []
    })
    return new Set((await Promise.all(kept)).flat())
  }
  return {
    async lock(request) {
      const { queue, limit, spacing } = request
      const waitMs = await link.on(queue, (jobs, redis) => noStartMs(jobs, redis, request))
      const first = waitMs > 0 ? undefined : await fetchNext(request)
      if (first === undefined) return { tasks: [], nextMs: waitMs > 0 ? waitMs : undefined }
      // From here on nothing may reject: a task that was locked and does not run waits for the end of its lock.
      const others = Array.from({ length: limit - 1 }, () => fetchNext(request).catch(() => undefined))
      const tasks = [first, ...(await Promise.all(others))].flatMap((one) =>
        one === undefined ? [] : hold(queue, one),
      )
      return { tasks, nextMs: spacing && Math.ceil(spacing.stepMs) }
    },
    // One call after the other, because each puts its task in front of all.
    lockOne(request) {
      const lock = lastLock.then(() => lockInFront(request))
      lastLock = lock.catch(() => {})
      return lock
    },
    renew: (queue, fences, lockMs) => keep(queue, fences, (one) => isExtended({ ...one, lockMs })),
    markStarted: (queue, fences) => keep(queue, fences, markJob),
    async end(queue, { id, fence }, end) {
      const key = heldKey(queue, id, fence)
      const one = held.get(key)
      if (one === undefined) return false
      const isEnded = await link.do(() => endJob(one, end))
      held.delete(key)
      return isEnded
    },
  }
}

function toTask({ job, lost, attempts }: HeldJob): LockedTask {
  const { id, data, attemptsStarted: fence, timestamp: addedAt } = job
  return { id: fromJobId(id), data, lost, attempts, fence, addedAt }
}

function heldKey(queue: string, id: string, fence: number): string {
  return JSON.stringify([queue, id, fence])
}

async function isExtended({ job, token, lockMs }: HeldJob): Promise<boolean> {
  return (await job.extendLock(token, lockMs)) === 1
}

/**
 * First the mark, then the renewal of the lock, which shows whether it held: who locks the task next sees the mark of a run that
 * continues from here, because no other worker can lock it in between.
 */
async function markJob(one: HeldJob): Promise<boolean> {
  const [key, fence] = [notesKey(one.job), String(one.job.attemptsStarted)]
  await one.redis.hset(key, fence, Date.now())
  const isHeld = await isExtended(one)
  if (!isHeld) await one.redis.hdel(key, fence)
  return isHeld
}

/** How long a pause or the rate allows no start. */
async function noStartMs(
  jobs: Queue,
  redis: Redis,
  { spacing, ignoresPause }: Partial<LockOneRequest>,
): Promise<number> {
  const [pauseMs, rateMs] = await Promise.all([
    ignoresPause ? 0 : redis.pttl(queueKey(jobs, 'pause')),
    spacing === undefined ? 0 : jobs.getRateLimitTtl(1),
  ])
  if (rateMs <= Math.ceil(spacing?.stepMs ?? 0)) return Math.max(0, pauseMs, rateMs)
  // The batch was started again with a higher rate: the last start was taken with the lower one.
  await jobs.removeRateLimitKey()
  return Math.max(0, pauseMs)
}

/** Resolves to why the job cannot be locked. */
async function putInFront(jobs: Queue, redis: Redis, request: LockOneRequest) {
  const { id, lockMs, isEarly } = request
  const { job, state } = (await readJob(jobs, toJobId(id))) ?? {}
  if (state === 'running') return { isRunning: true, waitMs: lockMs }
  if (job === undefined || state !== 'waiting') return { isRunning: false, waitMs: 0 }
  const dueMs = isEarly ? 0 : (await readNotes(redis, job)).dueAt - Date.now()
  const waitMs = Math.max(dueMs, await noStartMs(jobs, redis, request))
  if (waitMs > 0) return { isRunning: false, waitMs }
  await isDone(job.promote())
  await isDone(job.changePriority({ lifo: true }))
  return undefined
}

/** Ends or postpones a job. Resolves to whether its lock still held. */
async function endJob({ job, jobs, redis, token, attempts }: HeldJob, end: TaskEnd): Promise<boolean> {
  if (end.kind === 'done' || end.kind === 'dead') {
    // Before the end: a list then shows it as soon as it has ended, and no crash in between hides it.
    await redis.eval(PLACE, 2, queueKey(jobs, end.kind), queueKey(jobs, 'seq'), String(job.id))
    if (end.kind === 'done') return isDone(job.moveToCompleted(end.result && JSON.parse(end.result), token, false))
    // The engine counts the attempts: for BullMQ each failure is the last.
    return isDone(job.moveToFailed(new Error(JSON.stringify(end.error)), token, false))
  }
  if (end.kind === 'again' && end.pausesQueue) await pauseQueue(jobs, redis, end.delayMs)
  const due = Date.now() + Math.ceil(end.delayMs)
  const notes = { due, attempts: end.kind === 'failed' ? attempts + 1 : attempts }
  await redis.multi().hdel(notesKey(job), String(job.attemptsStarted)).hset(notesKey(job), notes).exec()
  return isDone(job.moveToDelayed(due, token))
}

/** Keeps the longer of two pauses. */
export function pauseQueue(jobs: Queue, redis: Redis, ms: number): Promise<unknown> {
  const key = queueKey(jobs, 'pause')
  return redis.multi().set(key, 1, 'PX', Math.ceil(ms), 'NX').pexpire(key, Math.ceil(ms), 'GT').exec()
}
