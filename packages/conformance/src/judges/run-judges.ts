import type { Check } from '../check.ts'
import { every, type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { FIRST } from '../scenarios/runs.ts'
import { mayDo } from '../session/keys.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-world.ts'
import { AT_PROVIDER, count, filledString, hasOutput, hasStatus, holds, oneOf, rejectionText } from './rules.ts'
import { hasFailed, isAtOnce, isHeldAsLong, isWaitedFor, took } from './run-times.ts'
import { isProviderFailure, type RunCall, type World } from './world.ts'

/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000
/** The specification gives no wording: polling, the path, or the status of a job in one order or the other. */
const MENTIONS_POLLING = /poll|\/jobs\b|\bjob\b.*\bstatus\b|\bstatus\b.*\bjob\b/i
const isPollingText = (value: unknown) => typeof value === 'string' && MENTIONS_POLLING.test(value)

/** Every run that the specification accepts, by its key and its input, with some of the first runs. */
const runsOf = (...names: readonly (keyof typeof FIRST)[]): Source<RunCall> => ({
  from: names.map((name) => FIRST[name]),
  pick: ({ runs }) => runs,
  nothing: 'no run was accepted',
})
const RUNS = runsOf('default', 'sync', 'async')
const ofMode = (mode: RunCall['mode'], source: Source<RunCall>, nothing: string) =>
  only(source, (run) => run.mode === mode, nothing)

const isWaiting = ({ mode }: RunCall) => mode === 'sync'
const isContinued = ({ response, says }: RunCall) => response.status === 202 && says === 'processing'

const WAITING = only(RUNS, isWaiting, 'no synchronous run was accepted')
const COMPLETED = only(RUNS, ({ says }) => says === 'completed', 'no run has completed in its response')
const ASYNC = ofMode('async', runsOf('async', 'cancelled'), 'no asynchronous run was accepted')
const CONTINUED = only(runsOf('held'), isContinued, 'no run got a 202 that says processing')
const HELD = only(runsOf('held'), (run) => isWaiting(run) && isContinued(run), 'no run was held; choose a slower model')
const WITH_WEBHOOK = ofMode(
  'sync+webhook',
  runsOf('webhook', 'failingWebhook'),
  'no run with a webhook_url was accepted',
)
const ASYNC_WEBHOOK = ofMode('async+webhook', runsOf('asyncWebhook'), 'no asynchronous run with a webhook was accepted')
const AT_ONCE = only(runsOf('cancelled'), (run) => !isWaiting(run), 'no run was accepted that should return at once')
const NAMED = only(RUNS, (run) => !(isWaiting(run) && hasFailed(run)))
const RIGHT = only(
  { ...RUNS, pick: ({ sentRuns }) => sentRuns },
  (run) => !run.isOpen && !(run.shouldFail && isWaiting(run)) && mayDo(run.key, 'runModel'),
  'no run was sent',
)
const FAILING: Source<RunCall> = {
  from: [FIRST.failing, FIRST.failingAsync],
  pick: ({ sentRuns }) => sentRuns.filter((run) => run.shouldFail && isWaiting(run) && !run.isOpen),
  nothing: 'no run failed at the provider',
}

const ACCEPTED: readonly number[] = [200, 202]

/** Every run and the response to it (sections 2.4, 3, 4.3 and 8). */
export const RUN_JUDGES: readonly Check[] = [
  judgeAll('runs/accepted', RIGHT, (runs, world) =>
    every([...runs.map((run) => isAccepted(run, world)), fewFail(runs)]),
  ),
  judgeEvery('runs/waits', WAITING, isWaitedFor),
  judgeEvery('runs/async-status', ASYNC, ({ response }) => shows(response, ACCEPTED, ['queued'])),
  judgeEvery('webhooks/run-status', WITH_WEBHOOK, ({ response }) => shows(response, [202], ['processing'])),
  judgeEvery('webhooks/async-run-status', ASYNC_WEBHOOK, ({ response }) =>
    shows(response, ACCEPTED, ['queued', 'processing']),
  ),
  judgeEvery('runs/identity', NAMED, ({ response, id }) =>
    holds(response, { '/job_id': filledString, '/request_id': filledString, '/model_id': oneOf(id) }),
  ),
  judgeEvery('runs/message', CONTINUED, ({ response }) =>
    holds(response, { '/message': [isPollingText, 'a string that says to poll the job'] }),
  ),
  judgeEvery('runs/completed-output', COMPLETED, ({ response }) => hasOutput(response, '/output')),
  judgeEvery('runs/completed-duration', COMPLETED, ({ response }) => [
    ...holds(response, { '/duration_ms': count }),
    isPossibleDuration(response),
  ]),
  judgeEvery('runs/credits-are-the-price', COMPLETED, ({ response, price }) =>
    price === undefined ? skip('the price is not known', response) : holds(response, { '/credits_used': oneOf(price) }),
  ),
  judgeEvery('runs/held-time', HELD, isHeldAsLong),
  judgeEvery('runs/async-at-once', AT_ONCE, isAtOnce),
  judgeEvery('runs/failed-is-not-completed', FAILING, ({ response, says }) => {
    const isRight = says !== 'completed' && says !== 'succeeded'
    const shown = judge(isRight, `/status of a failed run is ${show(says)}`, response)
    return says === 'failed' ? [shown, ...holds(response, AT_PROVIDER)] : shown
  }),
  judgeAll('runs/job-ids-differ', RUNS, jobIdsDiffer),
]

/** Judges the HTTP status, and the status in the body. */
function shows(response: ApiResponse, statuses: readonly number[], states: readonly string[]): Finding[] {
  return [hasStatus(response, ...statuses), ...holds(response, { '/status': oneOf(...states) })]
}

function isAccepted({ response, endpoint, mode, jobId }: RunCall, { runs, sentRuns }: World): Finding {
  const isHttp = (one: RunCall['endpoint']) => one?.url.startsWith('http:') === true
  if (isHttp(endpoint) && response.status >= 400 && !runs.some((one) => isHttp(one.endpoint)))
    return skip(`rejects a webhook_url without https (${rejectionText(response)}); give one with it`, response)
  if (response.status === 402) return skip('the account has no credits', response)
  // A rejection names no job, and is like that of a wrong input and not like what the failing model gets.
  const isError = response.status >= 400 && at(response.json, '/error/code') !== undefined
  const like = sentRuns.filter((other) => rejectionText(other.response) === rejectionText(response))
  const isOfFailed = like.some((run) => run.shouldFail && isWaiting(run)) && !like.some((run) => run.violation)
  const isFailedJob = mode === 'sync' && isError && (jobId !== undefined || isOfFailed)
  const isFailure = response.status >= 500 || isProviderFailure(response.json) || isFailedJob
  return isFailure ? skip('the provider failed', response) : hasStatus(response, ...ACCEPTED)
}

/** Any service fails now and then, but not so often before the provider is asked. */
const FEW = 2
const SHARE = 1 / 8

function fewFail(runs: readonly RunCall[]): Finding {
  const early = runs.filter((run) => !isWaiting(run) && !run.shouldFail)
  const failed = early.filter(({ response }) => response.status >= 500 && !isProviderFailure(response.json))
  const isRare = failed.length <= FEW || failed.length / early.length <= SHARE
  return judge(isRare, `${failed.length} of ${early.length} runs that return at once got a status of 5xx`, failed)
}

function isPossibleDuration(response: ApiResponse): Finding {
  const ms = at(response.json, '/duration_ms')
  const isRight = !(Number(ms) > response.durationMs * 1.1 + SLACK_MS)
  return judge(isRight, `/duration_ms is ${show(ms)} in a call of ${took(response)}`, response)
}

function jobIdsDiffer(runs: readonly RunCall[]): Finding {
  const named = runs.filter(({ jobId }) => jobId !== undefined)
  const repeated = named.filter(({ jobId }, index) => named.findIndex((one) => one.jobId === jobId) < index)
  if (named.length < 2) return skip('fewer than two runs were accepted')
  const detail = `${named.length} runs have ${named.length - repeated.length} different job_ids`
  return judge(repeated.length === 0, detail, repeated.length > 0 ? repeated : named.slice(0, 2))
}
