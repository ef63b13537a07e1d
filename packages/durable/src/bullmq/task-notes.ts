import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'

const STARTED = 'started:'

/**
 * What the engine stores of a job beside BullMQ: a hash of its own. `started:<fence>` is the mark of a run that may have effects, with
 * its time; it goes when the run ends. `since` is the fence of the last run before a replay: earlier marks do not count.
 */
export interface TaskNotes {
  /** Runs whose process died after the mark. */
  readonly lost: number
  /** Failed attempts. */
  readonly attempts: number
  /** When the job is due, after it was postponed. */
  readonly dueAt: number | undefined
  /** When its last run was marked as started. */
  readonly startedAt: number | undefined
}

/** Reads the notes of a job; `fence` is that of a run that has just started. */
export async function readNotes(redis: Redis, { key, legacyKey }: NotesKeys, fence?: number): Promise<TaskNotes> {
  const [notes, [startedThen, lossesThen]] = await Promise.all([
    redis.hgetall(key),
    redis.hmget(legacyKey, 'mr:started', 'mr:losses'),
  ])
  const since = Number(notes.since ?? 0)
  const marks = Object.entries(notes)
    .filter(([name]) => name.startsWith(STARTED))
    .map(([name, at]) => ({ fence: Number(name.slice(STARTED.length)), at: Number(at) }))
  // Version 0.1.0 has stored two fields beside those of BullMQ, which nothing changes any more.
  const isOld = notes.since === undefined
  const lostThen = isOld ? Number(lossesThen ?? 0) + (startedThen == null ? 0 : 1) : 0
  return {
    lost: marks.filter((mark) => mark.fence > since && mark.fence !== fence).length + lostThen,
    attempts: Number(notes.attempts ?? 0),
    dueAt: notes.due === undefined ? undefined : Number(notes.due),
    startedAt: notes.startedAt === undefined ? undefined : Number(notes.startedAt),
  }
}

/** Where the notes of a job are. */
export interface NotesKeys {
  readonly key: string
  /** The job itself. */
  readonly legacyKey: string
}

/** Marks a run as started. Before its effects: the caller has to check afterwards that it still holds the lock. */
export async function markStarted(redis: Redis, { key }: NotesKeys, fence: number): Promise<void> {
  const now = Date.now()
  await redis.hsetnx(key, `${STARTED}${fence}`, now)
  await redis.hset(key, 'startedAt', now)
}

/** Removes the mark of a run that has ended, or that had no effects. */
export async function unmark(redis: Redis, { key }: NotesKeys, fence: number): Promise<void> {
  await redis.hdel(key, `${STARTED}${fence}`)
}

/** Notes that a run ended, and when the job is due again. */
export async function notePostponed(
  redis: Redis,
  { key }: NotesKeys,
  { fence, dueAt, failed }: { fence: number; dueAt: number; failed: number },
): Promise<void> {
  await redis.multi().hdel(key, `${STARTED}${fence}`).hset(key, 'due', dueAt).hincrby(key, 'attempts', failed).exec()
}

/** Lets a dead job start from its first attempt. Before its replay: marks of later runs have higher fences. */
export async function noteReplayed(redis: Redis, { key }: NotesKeys, { attemptsStarted }: Job): Promise<void> {
  await redis.hset(key, { since: attemptsStarted, attempts: 0, due: Date.now() })
}
