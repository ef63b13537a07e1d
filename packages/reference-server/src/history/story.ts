import { TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { chargeOf, statusAt } from '../domain/job.ts'
import { describeEntry, describeTime } from './describe-entry.ts'
import { type JobEntry, type JobHistory, recordsOfJob } from './journal-entry.ts'

/**
 * The life of a job on one page: each request, change of status, charge and delivery, at times that count from its
 * creation. `undefined` when the journal knows nothing of it.
 */
export function writeStory(history: JobHistory): string | undefined {
  const entries = recordsOfJob(history).map(({ entry }) => entry)
  const [first] = entries
  if (first === undefined) return undefined
  const changes = entries.filter((entry) => entry.kind === 'job')
  const created = changes.find(({ from }) => from === undefined)
  const startAt = created?.at ?? first.at
  const lines = entries.map((entry) => `${describeTime(entry.at, startAt)}  ${describeEntry(entry)}`)
  return [titleOf(history.jobId, created), ...lines, endingOf(history, changes.at(-1), startAt)].join('\n')
}

function titleOf(jobId: string, created: JobEntry | undefined): string {
  if (created === undefined) return `${jobId} (its start is no longer in the journal)`
  return `${jobId} ${created.model_id}, ${created.credits} credits`
}

/** @param last the last change that the journal has: the job itself may no longer be stored */
function endingOf({ job, now }: JobHistory, last: JobEntry | undefined, startAt: number): string {
  const status = job === undefined ? last?.to : statusAt(job, now)
  if (TERMINAL_JOB_STATUSES.every((terminal) => terminal !== status)) {
    return job === undefined ? 'In the end: forgotten.' : `So far, after ${Math.round(now - startAt)} ms: ${status}.`
  }
  const isCharged = last?.to === 'succeeded' || last?.isCharged
  const charged = job?.end === undefined ? Number(isCharged && last?.credits) : chargeOf(job, job.end)
  return `In the end: ${status}, ${charged > 0 ? `${charged} credits` : 'nothing'} charged.`
}
