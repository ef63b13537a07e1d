import { stringIn, type TaskRecord, type TaskState, wallNow } from '@modelrun/kit'
import { claimUrl } from './callback-runs.ts'
import type { InboxCore } from './inbox-core.ts'
import type { InboxQueue } from './queues.ts'
import { expected, heard, jobKey, putJob, readStoredJob } from './stored-job.ts'

const PAGE = 100

export async function removeOldTasks({ queues, options, stopping }: InboxCore): Promise<void> {
  const { keepDoneMs, keepDeadMs, clock } = options
  const removePage = async (queue: InboxQueue, state: TaskState, keepMs: number): Promise<boolean> => {
    const page = await queue.list(state, { limit: PAGE })
    const old = page.filter(({ endedAt, addedAt }) => (endedAt ?? addedAt) < wallNow(clock) - keepMs)
    await Promise.all(old.map(({ id }) => queue.remove(id)))
    return old.length === PAGE
  }
  const retention = [
    [queues.jobs, 'done', keepDoneMs],
    [queues.jobs, 'dead', keepDeadMs],
    [queues.runs, 'done', keepDoneMs],
  ] as const
  for (const [queue, state, keepMs] of retention) {
    for (let hasMore = true; hasMore && !stopping.signal.aborted; ) hasMore = await removePage(queue, state, keepMs)
  }
}

/** Moves the tasks of the queues that version 0.1.0 had to the queues of this one. Safe to repeat, and in many processes. */
export async function moveOldTasks(core: InboxCore): Promise<void> {
  if (core.options.isInMemory) return
  const { old } = core.queues
  await moveAll(core, old('expected'), moveExpected)
  await moveAll(core, old('overdue'), moveExpected)
  await moveAll(core, old('unverified'), moveUnverified)
  await moveAll(core, old('bindings'), moveBinding)
}

async function moveAll(
  core: InboxCore,
  queue: InboxQueue,
  move: (core: InboxCore, task: TaskRecord) => Promise<void>,
): Promise<void> {
  for (const state of ['waiting', 'running', 'done', 'dead'] as const) {
    for (let hasMore = true; hasMore && !core.stopping.signal.aborted; ) {
      const page = await queue.list(state, { limit: PAGE })
      let removed = 0
      for (const task of page) {
        await move(core, task)
        // First moved, then removed: a process that dies in between loses nothing. A task that runs is moved again later.
        if (await queue.remove(task.id)) removed += 1
      }
      hasMore = removed === PAGE
    }
  }
}

/** A job that was expected. One that is done has its result, or is overdue: only its context counts. */
async function moveExpected({ queues, options }: InboxCore, { id, data, state }: TaskRecord): Promise<void> {
  const stored = readStoredJob(data)
  const task = await queues.jobs.get(id)
  if (stored === undefined || (state === 'done' && task === undefined)) return
  const delayMs = Math.max(0, stored.notedAt + options.expectedAfterMs - wallNow(options.clock))
  await putJob(queues, { key: id, change: expected(stored), delayMs }, task)
}

/** A delivery that waits for its check. */
async function moveUnverified({ queues }: InboxCore, { data, state }: TaskRecord): Promise<void> {
  const stored = readStoredJob(data)
  if (state === 'done' || state === 'dead' || stored?.event === undefined) return
  const key = jobKey(stored.event.job_id)
  await putJob(queues, { key, change: heard(stored), isUnverified: true }, await queues.jobs.get(key))
}

/** The job that a callback URL belongs to. */
async function moveBinding(core: InboxCore, { id, data }: TaskRecord): Promise<void> {
  const key = stringIn(data, 'key')
  if (key !== undefined) await claimUrl(core, id, key)
}
