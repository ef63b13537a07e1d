import { ModelRunError } from 'modelrun'
import type { Act } from './acts.ts'
import type { Evidence, Phase } from './evidence.ts'
import type { Call } from './plugin.ts'
import type { Post } from './service.ts'
import type { ServiceJob } from './service-job.ts'

/** An error body as the service writes it (section 7). */
function isErrorOfService({ type = 'application/json', body = '' }: Act): boolean {
  return type === 'application/json' && /^\{"error":\{"code":"\w+","message":".+"\}\}$/.test(body)
}

/** The service, or a limit before it, certainly did not take the run. */
function isRejection({ act = {} }: Post): boolean {
  const { status = 0, headers = {} } = act
  // What is to be sent to another place was not done.
  if (status === 307) return true
  if (status === 503) return headers['retry-after'] !== undefined && isErrorOfService(act)
  return status >= 400 && status < 500 && status !== 408
}

/** After this response, a run may be sent again. */
export const mayRepeat = (post: Post, call: Call): boolean => {
  // A batch pauses after these, and its runs wait.
  const pauses = call === 'batch' ? [401, 402, 403] : []
  return isRejection(post) && [429, 503, ...pauses].includes(post.act?.status ?? 0)
}

export const postsOf = ({ posts }: Evidence, key: string): Post[] => posts.filter((post) => post.key === key)

/** The error of one run, and what really happened to that run. */
interface Case {
  error: ModelRunError
  phase: Phase
  posts: readonly Post[]
  last: Post | undefined
  jobs: readonly ServiceJob[]
  evidence: Evidence
}

/** Whether the errors say what happened. */
export function* truth(evidence: Evidence): Generator<string> {
  for (const outcome of evidence.outcomes) {
    if (outcome.status === 'fulfilled' || !(outcome.reason instanceof ModelRunError)) continue
    // A second process may send it later.
    const isBefore = (at: number) => at <= evidence.settledAt
    const posts = postsOf(evidence, outcome.key).filter(({ at }) => isBefore(at))
    const jobs = evidence.jobs.filter(({ key, createdAt }) => key === outcome.key && isBefore(createdAt))
    const found = { error: outcome.reason, phase: outcome.phase, posts, last: posts.at(-1), jobs, evidence }
    yield* SUBMISSIONS[outcome.reason.submission](found)
    yield* sentences(found)
    yield* retries(found)
  }
}

const SUBMISSIONS: Record<ModelRunError['submission'], (found: Case) => Generator<string>> = {
  *not_sent({ posts }) {
    if (posts.length > 0) yield `not_sent, but ${posts.length} POSTs arrived`
  },
  *rejected({ last, jobs, phase, evidence }) {
    const isOurs = phase === 'row' && last === undefined && evidence.plugin.mayReject
    if (!isOurs && !(last && isRejection(last))) yield 'rejected, but the service did not reject it'
    if (jobs.length > 0) yield 'rejected, but there is a job'
  },
  *accepted({ jobs, error }) {
    if (!jobs.some(({ id }) => id === error.jobId)) yield 'accepted, without the id of its job'
  },
  *unknown({ last, error, phase, evidence }) {
    const isTried = last !== undefined || error.attempts.length > 0
    if (!isTried && (phase === 'run' || phase === 'submit')) yield 'unknown, but nothing was tried'
    const isEnded = ['AbortedError', 'AttemptTimeoutError', 'DeadlineExceededError'].includes(error.name)
    const isSeen = (last?.sentAt ?? Number.POSITIVE_INFINITY) < evidence.settledAt && !evidence.plugin.hidesResponses
    if (last && isRejection(last) && isSeen && !isEnded) yield 'unknown, but the service rejected it'
  },
}

const hasFailed = ({ status }: ServiceJob): boolean => status === 'failed' || status === 'cancelled'
const isCharged = ({ isCharged: is }: ServiceJob): boolean => is

function* sentences({ error: { message }, posts, last, jobs }: Case): Generator<string> {
  if (/nothing was sent/i.test(message) && posts.length > 0) yield `says that nothing was sent: ${message}`
  const saysFree = /nothing (is|was|has been) (charged|paid)|costs? nothing|not charged/i.test(message)
  const isFree = !jobs.some(isCharged) && (!last?.act || isErrorOfService(last.act) || jobs.some(hasFailed))
  if (saysFree && posts.length > 0 && !isFree) yield `says that it is free: ${message}`
}

/** The same call again must not charge again. To wait again charges nothing. */
function* retries({ error: { isRetryable, submission }, phase, jobs }: Case): Generator<string> {
  const isSafe = ['not_sent', 'rejected'].includes(submission) || jobs.every(hasFailed)
  const isHarmless = phase === 'wait' || (isSafe && !jobs.some(isCharged))
  if (isRetryable && !isHarmless) yield `retryable, with ${submission} and ${jobs.length} jobs`
}
