import type { TaskList, TaskRecord, TaskState } from '@modelrun/kit'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Guard } from '../engine/engine.ts'
import type { DurableTable } from '../engine/table-engine.ts'
import { createLocks, pauseQueue } from './bullmq-locks.ts'
import { checkRedis, type RedisLink } from './redis-link.ts'
import { isDone, notesKey, oldNotes, queueKey, readJob, readNotes, toJobId, toRecord } from './task-job.ts'

/** Adds `ARGV[3]` to the counter `ARGV[1]` once for the part `ARGV[2]`, unless its value would exceed `ARGV[4]`. */
const RESERVE = `
  if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return 1 end
  if (redis.call('HGET', KEYS[1], ARGV[1]) or 0) + ARGV[3] > tonumber(ARGV[4]) then return 0 end
  redis.call('HINCRBYFLOAT', KEYS[1], ARGV[1], ARGV[3])
  return redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])`

const RELEASE = `
  local amount = redis.call('HGET', KEYS[2], ARGV[2])
  if amount then redis.call('HINCRBYFLOAT', KEYS[1], ARGV[1], '-' .. amount) end
  return redis.call('HDEL', KEYS[2], ARGV[2])`

/** The tasks in BullMQ, by its public interface. */
export function createBullmqTable(link: RedisLink, prefix: string): DurableTable {
  const tallies = `${prefix}-tallies`
  // The parts of a counter have a key of their own, so that they can be deleted with their batch.
  const tally = (script: string, name: string, args: (string | number)[]) =>
    link.do((redis) => redis.eval(script, 2, tallies, `${tallies}:${encodeURIComponent(name)}`, name, ...args))
  return {
    ...createLocks(link),
    setup: () => link.do((redis) => checkRedis(redis, `${prefix}-version`)),
    async add(queue, id, { data, delayMs }) {
      const options = { jobId: toJobId(id), delay: Math.ceil(delayMs) }
      await link.on(queue, (jobs) => jobs.add('task', JSON.parse(data), options))
    },
    get: (queue, id) =>
      link.on(queue, async (jobs, redis) => {
        const known = await readJob(jobs, toJobId(id))
        return known && toRecord(redis, { ...known, cursor: '0' })
      }),
    list: (queue, state, list) => link.on(queue, (jobs, redis) => listTasks(jobs, redis, { ...list, state })),
    async count(queue) {
      const counts = await link.on(queue, (jobs) => jobs.getJobCounts())
      const { active = 0, completed = 0, failed = 0, ...others } = counts
      const waiting = Object.values(others).reduce((sum, count) => sum + count, 0)
      return { waiting, running: active, done: completed, dead: failed }
    },
    async pause(queue, ms) {
      await link.on(queue, (jobs, redis) => pauseQueue(jobs, redis, ms))
    },
    async resume(queue) {
      await link.on(queue, (jobs, redis) => redis.del(queueKey(jobs, 'pause')))
    },
    isPaused: (queue) => link.on(queue, async (jobs, redis) => (await redis.exists(queueKey(jobs, 'pause'))) === 1),
    msUntilDue: (queue) => link.on(queue, msUntilDue),
    total: async (name) => Number(await link.do((redis) => redis.hget(tallies, name))),
    reserve: async (name, part, { amount, limit }) => (await tally(RESERVE, name, [part, amount, limit])) === 1,
    async release(name, part) {
      await tally(RELEASE, name, [part])
    },
    update: (queue, id, data) =>
      link.on(queue, async (jobs, redis) => {
        const { job } = (await readJob(jobs, toJobId(id))) ?? {}
        if (job === undefined || !(await isDone(job.updateData(JSON.parse(data))))) return false
        await redis.hset(notesKey(job), 'due', Date.now())
        await isDone(job.promote())
        return true
      }),
    replay: (queue, id) =>
      link.on(queue, async (jobs, redis) => {
        const { job, state } = (await readJob(jobs, toJobId(id))) ?? {}
        if (job === undefined || state !== 'dead') return false
        const notes = { due: Date.now(), attempts: 0 }
        // Before the replay: later runs have marks of their own.
        const changes = redis.multi().del(notesKey(job)).hset(notesKey(job), notes)
        await changes.hdel(...oldNotes(job)).exec()
        return isDone(job.retry('failed', { resetAttemptsMade: true }))
      }),
    remove: (queue, id) =>
      link.on(queue, async (jobs, redis) => {
        const jobId = toJobId(id)
        const { job } = (await readJob(jobs, jobId)) ?? {}
        if (job === undefined || (await jobs.remove(jobId)) !== 1) return false
        const lists = redis.multi().zrem(queueKey(jobs, 'done'), jobId).zrem(queueKey(jobs, 'dead'), jobId)
        await lists.del(notesKey(job)).exec()
        return true
      }),
    guardedBy: (guard) => createBullmqTable(guardedLink(link, guard), prefix),
    close: () => link.close(),
  }
}

/** For changes: of what they return, only whether they were made is read. */
function guardedLink(link: RedisLink, { queue, id, addedAt, fence }: Guard): RedisLink {
  const when = async <Value>(change: () => Promise<Value>) => {
    const isHeld = await link.on(queue, async (jobs, redis) => {
      // Not the job, whose input may be large.
      if (fence === undefined) return Number(await redis.hget(jobs.toKey(toJobId(id)), 'timestamp')) === addedAt
      const job = await jobs.getJob(toJobId(id))
      return job?.timestamp === addedAt && job?.attemptsStarted === fence
    })
    return isHeld ? change() : (false as Value)
  }
  const on: RedisLink['on'] = (name, commands) => when(() => link.on(name, commands))
  return { ...link, on, do: (commands) => when(() => link.do(commands)) }
}

/**
 * Lists the tasks of a state. `waiting` has the order of BullMQ: first what is due, in the order in which it will run, then what
 * is delayed.
 */
async function listTasks(
  jobs: Queue,
  redis: Redis,
  { state, limit = 100, after }: TaskList & { state: TaskState },
): Promise<TaskRecord[]> {
  const found: Promise<TaskRecord>[] = []
  for (let from = after; found.length < limit; ) {
    const places = await placesAfter(from, { jobs, redis, state, limit: limit - found.length })
    for (const { cursor, known } of await Promise.all(places)) {
      from = cursor
      // Another one has changed its state, and has a new place once it ends again.
      if (known?.state === state) found.push(toRecord(redis, { ...known, cursor }))
      // It is ending right now: the next page starts with it.
      else if (known?.state === 'running' && state !== 'waiting') return Promise.all(found)
    }
    // Before the next page, which may fail.
    await Promise.all(found)
    if (places.length === 0) break
  }
  return Promise.all(found)
}

/** BullMQ sorts what has ended by milliseconds of several clocks, so the engine has lists of its own for that. */
async function placesAfter(
  after: string | undefined,
  { jobs, redis, state, limit }: { jobs: Queue; redis: Redis; state: TaskState; limit: number },
) {
  const place = async (jobId: string, cursor: string) => ({ cursor, known: await readJob(jobs, jobId) })
  if (state === 'done' || state === 'dead') {
    const range = [`(${after ?? 0}`, '+inf', 'WITHSCORES', 'LIMIT', 0, limit] as const
    const page = await redis.zrangebyscore(queueKey(jobs, state), ...range)
    return page.flatMap((jobId, at) => (at % 2 === 0 ? place(jobId, String(page[at + 1])) : []))
  }
  const pageOf = async (list: 'active' | 'wait' | 'delayed', from: number) =>
    (await jobs.getRanges([list], from, from + limit - 1, true)).map((id, at) => place(id, `${list}:${from + at + 1}`))
  const [list, from] = after?.split(':') ?? []
  if (state === 'running') return pageOf('active', Number(from ?? 0))
  const due = list === 'delayed' ? [] : await pageOf('wait', Number(from ?? 0))
  return due.length > 0 ? due : pageOf('delayed', list === 'delayed' ? Number(from) : 0)
}

async function msUntilDue(jobs: Queue, redis: Redis): Promise<number | undefined> {
  // The first one of each list.
  const oldest: Job[] = await jobs.getJobs(['wait', 'delayed'], 0, 0, true)
  const notes = await Promise.all(oldest.map((job) => readNotes(redis, job)))
  return notes.length === 0 ? undefined : Math.min(...notes.map(({ dueAt }) => dueAt)) - Date.now()
}
