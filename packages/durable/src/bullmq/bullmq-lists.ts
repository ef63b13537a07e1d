import type { TaskList } from '@modelrun/kit'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import { readJob, readNotes, toRecord } from './task-job.ts'

/** A key of a queue: `done` and `dead` are the lists of ends, `seq` counts their positions, `pause` exists in a pause. */
export function queueKey({ opts, name }: Queue, what: TaskState | 'seq' | 'pause'): string {
  return `${opts.prefix}-lists:${name}:${what}`
}

/**
 * Lists the tasks of a state. `waiting` has the order of BullMQ: first what is due, in the order in which it will run, then what
 * is delayed.
 */
export async function listTasks(
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

export async function msUntilDue(jobs: Queue, redis: Redis): Promise<number | undefined> {
  // The first one of each list.
  const oldest: Job[] = await jobs.getJobs(['wait', 'delayed'], 0, 0, true)
  const notes = await Promise.all(oldest.map((job) => readNotes(redis, job)))
  return notes.length === 0 ? undefined : Math.min(...notes.map(({ dueAt }) => dueAt)) - Date.now()
}
