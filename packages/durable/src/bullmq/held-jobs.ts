import type { Job, Worker } from 'bullmq'
import { POISON_AFTER, PROCESS_DIED, SUSPECT_AFTER, type TaskEnd } from '../engine/task-table.ts'

/** A task that this process has locked. */
export interface HeldJob {
  job: Job
  token: string
  worker: Worker
  /** How often a process died, or lost its lock, while its handler ran. */
  lost: number
}

type FetchedJob = Omit<HeldJob, 'lost'>

/** The first alone: mostly nothing waits. */
export async function fetchJobs(worker: Worker, most: number): Promise<FetchedJob[]> {
  if (most === 0) return []
  const first = await fetchJob(worker)
  if (first === undefined) return []
  const more = await Promise.allSettled(Array.from({ length: most - 1 }, () => fetchJob(worker)))
  return [first, ...more.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))]
}

async function fetchJob(worker: Worker): Promise<FetchedJob | undefined> {
  // Each run has a token of its own: a late handler of this process must not end the run that came after it.
  const token = crypto.randomUUID()
  const job = await worker.getNextJob(token, { block: false })
  return job === undefined ? undefined : { job, token, worker }
}

/**
 * Keeps what may run now. A suspect that must wait until it is alone goes back to the front, where each process finds it
 * until one has room.
 */
export async function sortJobs(
  fetched: readonly HeldJob[],
  alone: boolean,
): Promise<{ kept: HeldJob[]; hasSuspect: boolean; hasPoison: boolean }> {
  const poison = fetched.filter(({ lost }) => lost >= POISON_AFTER)
  const healthy = fetched.filter((held) => !poison.includes(held))
  const isKept = ({ lost }: HeldJob) => lost >= SUSPECT_AFTER === alone
  const others = healthy.filter((held) => !isKept(held))
  await Promise.allSettled([
    ...poison.map((held) => endJob(held, { kind: 'dead', error: PROCESS_DIED })),
    ...others.map(({ job, token }) => job.moveToWait(token)),
  ])
  return { kept: healthy.filter(isKept), hasSuspect: !alone && others.length > 0, hasPoison: poison.length > 0 }
}

export async function endJob({ job, token, worker }: FetchedJob, end: TaskEnd): Promise<unknown> {
  if (end.kind === 'done') return job.moveToCompleted(end.result, token, false)
  // Its attempts are counted by the engine: for BullMQ each failure is the last.
  if (end.kind === 'dead') return job.moveToFailed(new Error(JSON.stringify(end.error)), token, false)
  const options = { skipAttempt: end.kind === 'again' }
  return worker.getBackend().moveToDelayed(String(job.id), Date.now(), Math.ceil(end.delayMs), token, options)
}

/** Whether the task was still there, locked, or in the state that the change needs: codes of BullMQ below 0 are that it was not. */
export async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (Number(Object(error).code) < 0) return false
    throw error
  }
}
