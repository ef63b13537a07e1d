import { TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { statusAt } from '../domain/job.ts'
import {
  describeEntry,
  describeOutcome,
  describeRequest,
  describeResponse,
  describeSending,
  describeTime,
} from './describe-entry.ts'
import { type JobEntry, type JobHistory, type JournalEntry, type JournalRecord, recordsOfJob } from './journal-entry.ts'

/** A line of the story and where it belongs. */
interface Moment {
  at: number
  place: number
  record: JournalRecord
  half: 'start' | 'end'
}

/**
 * The life of a job on one page: each request, change of status, charge and delivery, at times that count from its
 * creation. `undefined` when the journal knows nothing of it.
 */
export function writeStory(history: JobHistory): string | undefined {
  const { jobId, job, now } = history
  const own = recordsOfJob(history)
  const created = own.map(({ entry }) => entry).find(isCreation)
  const startAt = created?.at ?? own[0]?.entry.at
  if (startAt === undefined) return undefined
  const isCharged = own.some(({ entry }) => entry.kind === 'job' && (entry.isCharged || entry.to === 'succeeded'))
  const moments = own.flatMap(momentsOf).sort((one, other) => one.at - other.at || one.place - other.place)
  const lines = linesOf(moments).map(({ at, text }) => `${describeTime(at, startAt)}  ${text}`)
  return [
    titleOf(jobId, created),
    ...lines,
    endingOf({ status: job ? statusAt(job, now) : lastStatus(own), created, sinceMs: now - startAt, isCharged }),
  ].join('\n')
}

function isCreation(entry: JournalEntry): entry is JobEntry {
  return entry.kind === 'job' && entry.from === undefined
}

function momentsOf(record: JournalRecord): Moment[] {
  const { entry, startPlace, endPlace } = record
  const end: Moment = { at: endOf(entry), place: endPlace, record, half: 'end' }
  return entry.kind === 'job' ? [end] : [{ at: entry.at, place: startPlace, record, half: 'start' }, end]
}

function endOf(entry: JournalEntry): number {
  return 'durationMs' in entry ? entry.at + entry.durationMs : entry.at
}

/** A request or delivery without other events between its start and its end is one line. */
function linesOf(moments: readonly Moment[]): { at: number; text: string }[] {
  return moments.flatMap((moment, index) => {
    const [previous, next] = [moments[index - 1], moments[index + 1]]
    const { at, record, half } = moment
    if (half === 'start' && isSame(moment, next)) return []
    const isWhole = record.entry.kind === 'job' || (half === 'end' && isSame(moment, previous))
    return [{ at, text: isWhole ? describeEntry(record.entry) : describeHalf(moment) }]
  })
}

function isSame(one: Moment, other: Moment | undefined): boolean {
  return other !== undefined && other.record === one.record && other.at === one.at
}

function describeHalf({ record: { entry }, half }: Moment): string {
  if (entry.kind === 'request') {
    return half === 'start' ? describeRequest(entry) : `${entry.method} response: ${describeResponse(entry)}`
  }
  if (entry.kind === 'delivery') {
    return half === 'start' ? describeSending(entry) : `webhook response: ${describeOutcome(entry)}`
  }
  return describeEntry(entry)
}

/** The last status of a job that is no longer stored. */
function lastStatus(records: readonly JournalRecord[]): string | undefined {
  const changes = records.map(({ entry }) => entry).filter((entry) => entry.kind === 'job')
  return TERMINAL_JOB_STATUSES.find((status) => status === changes.at(-1)?.to)
}

function titleOf(jobId: string, created: JobEntry | undefined): string {
  if (created === undefined) return `${jobId} (its start is no longer in the journal)`
  return `${jobId} ${created.model_id}, ${created.credits} credits`
}

interface Ending {
  status: string | undefined
  created: JobEntry | undefined
  sinceMs: number
  isCharged: boolean
}

function endingOf({ status, created, sinceMs, isCharged }: Ending): string {
  if (status === undefined) return 'In the end: forgotten.'
  const isOver = status === 'succeeded' || status === 'failed' || status === 'cancelled'
  if (isOver && isCharged) return `In the end: ${status}, ${created?.credits ?? 'its'} credits charged.`
  if (isOver) return `In the end: ${status}, nothing charged.`
  return `So far, after ${Math.round(sinceMs)} ms: ${status}.`
}
