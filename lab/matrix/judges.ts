import { inspect } from 'node:util'
import { ModelRunError } from 'modelrun'
import type { Broken, Evidence, Outcome, Promised } from './evidence.ts'
import { mayRepeat, postsOf, truth } from './judge-truth.ts'

type Judge = (evidence: Evidence) => Generator<string>

function* once(evidence: Evidence): Generator<string> {
  for (const key of new Set(evidence.posts.map((post) => post.key))) {
    const posts = postsOf(evidence, key)
    const repeated = posts.slice(0, -1).filter((post) => !mayRepeat(post, evidence.call))
    if (repeated.length > 0) yield `${posts.length} POSTs of ${key}, after ${repeated.map(({ act }) => act?.status ?? act?.ending)}` // biome-ignore format: a row
  }
}

/** What arrives in the same moment as the deadline may come too late. */
const isEnded = (outcome: Outcome): boolean =>
  outcome.status === 'rejected' && /Aborted|Deadline|Timeout/.test(String(Object(outcome.reason).name))

function* id(evidence: Evidence): Generator<string> {
  if (evidence.plugin.hidesResponses) return
  for (const outcome of evidence.outcomes) {
    for (const { job, sent, sentAt = Number.POSITIVE_INFINITY } of postsOf(evidence, outcome.key)) {
      const lastMs = isEnded(outcome) ? evidence.settledAt - 100 : evidence.settledAt
      if (!job || !new RegExp(`"job_id":"?${job.id}[",}]`).test(sent) || sentAt > lastMs) continue
      const stored = evidence.rows.find(({ key }) => key === outcome.key)?.jobId
      if (String(outcome.jobId ?? stored) !== job.id) yield `${job.id} was received and is ${outcome.jobId}`
    }
  }
}

function* time({ isHung, lateMs }: Evidence): Generator<string> {
  if (isHung) yield 'never settled'
  else if (lateMs > 0) yield `${Math.round(lateMs)} ms too late`
}

function* ours({ outcomes, loopError, plugin }: Evidence): Generator<string> {
  const thrown = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (loopError !== undefined) thrown.push(loopError)
  for (const error of thrown) {
    if (!(error instanceof ModelRunError) && plugin.mayThrowRaw) continue
    if (!(error instanceof ModelRunError)) yield `threw ${inspect(error, { depth: 0 }).split('\n')[0]}`
    else if (inspect(error, { depth: 9 }).includes('sk_live_matrix')) yield 'shows the API key'
  }
}

function* result({ outcomes, jobs, unreachable, call, rows, loopError, isHung }: Evidence): Generator<string> {
  yield* unreachable
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') continue
    // A result whose job has no name is a result.
    const job = jobs.find((each) => (!outcome.jobId || each.id === String(outcome.jobId)) && each.key === outcome.key)
    if (!job) yield `resolved with the job ${outcome.jobId}, which is not of this run`
    else if (outcome.urls[0] !== job.fileUrl) yield `resolved with ${outcome.urls}`
  }
  const lost = ['sync', 'async', 'submit'].includes(call) && outcomes.length !== 1 && !isHung
  if (lost) yield `${outcomes.length} outcomes`
  const missing = call === 'many' ? 3 - outcomes.length : 0
  if (missing > 0 && loopError === undefined && !isHung) yield `${missing} runs are missing`
  if (new Set(rows.map(({ key }) => key)).size !== rows.length) yield 'a key comes twice'
}

function* harmless(evidence: Evidence): Generator<string> {
  const { network, plugin, outcomes, loopError } = evidence
  if (!network.isHealthy || !plugin.isHarmless) return
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') yield `rejected with ${Object(outcome.reason).name ?? outcome.reason}: ${Object(outcome.reason).message}` // biome-ignore format: a row
    if (postsOf(evidence, outcome.key).length !== 1) yield `${postsOf(evidence, outcome.key).length} POSTs`
  }
  if (loopError !== undefined) yield `the loop threw ${inspect(loopError, { depth: 0 }).split('\n')[0]}`
}

function* books({ call, jobs, rows, isHung }: Evidence): Generator<string> {
  if (call !== 'batch' || isHung) return
  for (const { id, key, isCharged } of jobs) {
    const { state, jobId } = rows.find((row) => row.key === key) ?? {}
    // A result whose job has no name is a result.
    const isOfJob = state === 'succeeded' ? jobId === id || jobId === undefined : jobId === id && state === 'running'
    const isKnown = state === 'unknown' || isOfJob
    if (isCharged && !isKnown) yield `${id} was charged, and its row is ${state}`
  }
  yield* falseEnds({ jobs, rows })
}

function* falseEnds({ jobs, rows }: Pick<Evidence, 'jobs' | 'rows'>): Generator<string> {
  for (const { key, state } of rows) {
    const own = jobs.filter((job) => job.key === key)
    const isEnded = own.some(({ status }) => status === 'failed' || status === 'cancelled')
    if (state === 'rejected' && own.length > 0) yield `${key} is rejected, and has a job`
    if ((state === 'failed' || state === 'cancelled') && !isEnded) yield `${key} is ${state}, but no job ended so`
  }
}

function* clean({ left }: Evidence): Generator<string> {
  for (const each of left) yield `${each} left`
}

const JUDGES: Record<Promised, Judge> = { once, truth, id, time, ours, result, harmless, books, clean }

/** Every promise that a cell broke. */
export function judge(evidence: Evidence): Broken[] {
  return Object.entries(JUDGES).flatMap(([promise, of]) =>
    // The keys of JUDGES are the promises.
    [...of(evidence)].map((detail) => ({ promise: promise as Promised, detail })),
  )
}
