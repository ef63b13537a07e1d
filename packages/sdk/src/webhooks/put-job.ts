import type { TaskRecord } from '@modelrun/kit'
import type { InboxQueues } from './queues.ts'
import { isDropped, isLost, readStoredJob, type StoredJob } from './stored-job.ts'

/** What is new about a job. */
export interface JobNews {
  /** Task id of the job. */
  key: string
  /**
   * Adds the news to the data of the job, which is undefined for a job without a task. Returns undefined when the data has the
   * news, or does not need them.
   */
  change(stored: StoredJob | undefined): StoredJob | undefined
  /** Milliseconds until a job without a task is due. Default 0. */
  delayMs?: number | undefined
  /** Whether the news are of a sender that anyone can be. Then a job that the service did not have stays dropped. */
  isUnverified?: boolean | undefined
}

/**
 * Stores what is new about a job: adds its task, or changes the task while the job has no result. A task that waits is due then.
 * Safe to repeat. Deliveries and `expect` change different members, and each reads what it wrote: neither overwrites the other.
 *
 * @param task the task of the job, as it was just read
 */
export async function putJob(queues: InboxQueues, news: JobNews, task: TaskRecord | undefined): Promise<void> {
  // Read again after each change: another process may have changed the job, too.
  for (let current = task; ; current = await queues.jobs.get(news.key)) {
    if (await (current === undefined ? addJob(queues, news) : changeJob(queues, news, current))) return
  }
}

/** @returns whether there was nothing to do */
async function addJob({ jobs }: InboxQueues, { key, change, delayMs }: JobNews): Promise<boolean> {
  const data = change(undefined)
  if (data === undefined) return true
  await jobs.add(key, data, delayMs)
  return false
}

/** @returns whether there was nothing to do */
async function changeJob({ jobs }: InboxQueues, news: JobNews, task: TaskRecord): Promise<boolean> {
  const { key, change, isUnverified = false } = news
  if (isDropped(task)) {
    if (!isUnverified) await jobs.remove(key)
    return isUnverified
  }
  const stored = readStoredJob(task.data)
  const data = task.state === 'done' || stored === undefined ? undefined : change(stored)
  if (data === undefined) return true
  await jobs.update(key, data)
  if (isLost(task)) await jobs.replay(key)
  return false
}

/** The news of a delivery, or of an end that a poll found. The first event counts. */
export function heard(news: StoredJob): JobNews['change'] {
  return (stored) => {
    if (stored?.event !== undefined) return undefined
    return { ...stored, ...news, ref: stored?.ref ?? news.ref, notedAt: stored?.notedAt ?? news.notedAt }
  }
}

/** The news that a job is expected. */
export function expected(news: Omit<StoredJob, 'isExpected'>): JobNews['change'] {
  return (stored) => {
    if (stored?.isExpected) return undefined
    const { modelId, context, ref = stored?.ref, notedAt } = news
    return { ...stored, modelId, context, ref, isExpected: true, notedAt: stored?.notedAt ?? notedAt }
  }
}
