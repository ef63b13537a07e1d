import type { Check } from '../check.ts'
import { type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, pointersOf, show } from '../json.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { mayDo } from '../session/keys.ts'
import { isOpenForKey } from './api-calls.ts'
import { judgeAll, judgeEvery, observeFirst, only, type Source } from './judge-every.ts'
import { failedBody, OF_RUNS, observeMore } from './more-members.ts'
import { count, hasOutput, hasStatus, holds, oneOf, type Rule, rejectionOf, rejectionText, text } from './rules.ts'
import { hasFailed, isHeldAsLong, isWaitedFor, returnAtOnce, took } from './run-times.ts'
import type { RunCall, World } from './world.ts'

/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000
/** The specification gives no wording: polling, the path, or the status of a job in one order or the other. */
const MENTIONS_POLLING = /poll|\/jobs\b|\bjob\b.*\bstatus\b|\bstatus\b.*\bjob\b/i
const mentionsPolling: Rule = [
  (value) => typeof value === 'string' && MENTIONS_POLLING.test(value),
  'a text that says to poll the job',
]

/** Every run that the specification accepts, by its key and its input. */
const RUNS: Source<RunCall> = {
  from: [FIRST.default, FIRST.sync, FIRST.async, ...LASTS],
  pick: ({ runs }) => runs,
  nothing: 'no run was accepted',
}
const of = (...from: Source<RunCall>['from']) => ({ ...RUNS, from: [...from, ...LASTS] })

const isWaiting = ({ sync, hasWebhook }: RunCall) => sync !== false && !hasWebhook
const says = ({ response }: RunCall) => at(response.json, '/status')
const isContinued = (run: RunCall) => run.response.status === 202 && says(run) === 'processing'

const WAITING = only(RUNS, isWaiting, 'no synchronous run was accepted')
const COMPLETED = only(RUNS, (run) => says(run) === 'completed', 'no run has completed in its response')
const ASYNC = only(
  of(FIRST.async, FIRST.cancelled),
  ({ sync, hasWebhook }) => sync === false && !hasWebhook,
  'no asynchronous run was accepted',
)
const CONTINUED = only(of(FIRST.held), isContinued, 'no run got a 202 that says processing')
const HELD = only(of(FIRST.held), (run) => isWaiting(run) && isContinued(run), 'no run was held; choose a slower model')
const WITH_WEBHOOK = only(
  of(FIRST.webhook, FIRST.failingWebhook),
  ({ hasWebhook, sync }) => hasWebhook && sync !== false,
  'no run with a webhook_url was accepted',
)
const ASYNC_WITH_WEBHOOK = only(
  of(FIRST.asyncWebhook),
  ({ hasWebhook, sync }) => hasWebhook && sync === false,
  'no run with sync false and a webhook_url was accepted',
)
const AT_ONCE = only(of(FIRST.cancelled), (run) => !isWaiting(run), 'no run was accepted that should return at once')
const NAMED = only(RUNS, (run) => !(isWaiting(run) && hasFailed(run.response)))
const RIGHT: Source<RunCall> = { ...RUNS, pick: rightRuns, nothing: 'no run was sent' }
const FAILING: Source<RunCall> = {
  from: [FIRST.failing, FIRST.failingAsync, ...LASTS],
  pick: ({ sentRuns }) => sentRuns.filter((run) => run.shouldFail && isWaiting(run) && !run.isOpen),
  nothing: 'no run failed at the provider',
}
const IN_EVERY_MODE = of(
  FIRST.default,
  FIRST.sync,
  FIRST.async,
  FIRST.held,
  FIRST.failing,
  FIRST.webhook,
  FIRST.asyncWebhook,
)

const ACCEPTED: readonly number[] = [200, 202]

/** Every run and the response to it (sections 2.4, 3, 4.3 and 8). */
export const RUN_JUDGES: readonly Check[] = [
  judgeEvery('runs/accepted', RIGHT, isAccepted),
  judgeEvery('runs/waits', WAITING, isWaitedFor),
  responseJudge('runs/async-status', ASYNC, { statuses: ACCEPTED, rules: { '/status': oneOf('queued') } }),
  responseJudge('webhooks/run-status', WITH_WEBHOOK, { statuses: [202], rules: { '/status': oneOf('processing') } }),
  responseJudge('webhooks/async-run-status', ASYNC_WITH_WEBHOOK, {
    statuses: ACCEPTED,
    rules: { '/status': oneOf('queued', 'processing') },
  }),
  judgeEvery('runs/identity', NAMED, ({ response, id }) =>
    holds(response, { '/job_id': text, '/request_id': text, '/model_id': oneOf(id) }),
  ),
  responseJudge('runs/message', CONTINUED, { rules: { '/message': mentionsPolling } }),
  judgeEvery('runs/completed-output', COMPLETED, ({ response }) => hasOutput(response, '/output')),
  judgeEvery('runs/completed-duration', COMPLETED, ({ response }) => [
    ...holds(response, { '/duration_ms': count }),
    isPossibleDuration(response),
  ]),
  judgeEvery('runs/credits-are-the-price', COMPLETED, ({ response, price }) =>
    price === undefined ? skip('the price is not known', response) : holds(response, { '/credits_used': oneOf(price) }),
  ),
  judgeEvery('runs/held-time', HELD, isHeldAsLong),
  judgeAll('runs/async-at-once', AT_ONCE, returnAtOnce),
  judgeEvery('runs/failed-is-not-completed', FAILING, ({ response }) => {
    const status = at(response.json, '/status')
    const isRight = status !== 'completed' && status !== 'succeeded'
    const shown = judge(isRight, `/status of a failed run is ${show(status)}`, response)
    return status === 'failed' ? [shown, ...holds(response, { '/error/code': oneOf('PROVIDER_FAILURE') })] : shown
  }),
  judgeAll('runs/job-ids-differ', RUNS, jobIdsDiffer),
  judgeAll('runs/more-fields', IN_EVERY_MODE, (runs) =>
    observeMore(
      runs.map(({ response }) => response),
      OF_RUNS,
    ),
  ),
  observeFirst('runs/async-status-code', ASYNC, ({ response: { status } }) => [status, `status ${status}`]),
  observeFirst('runs/failed-response', FAILING, ({ response }) => [
    response.status,
    `${rejectionText(response)}, /status ${show(at(response.json, '/status'))}`,
  ]),
  observeFirst('runs/failed-body', FAILING, ({ response }) => [
    failedBody(response),
    `the body holds ${show(pointersOf(response.json))}`,
  ]),
  observeFirst('webhooks/async-run', ASYNC_WITH_WEBHOOK, ({ response }) => {
    const status = at(response.json, '/status')
    return [
      { ...rejectionOf(response), response: String(status) },
      `status ${response.status}, /status ${show(status)}`,
    ]
  }),
]

function responseJudge(
  id: string,
  source: Source<RunCall>,
  { statuses, rules }: { statuses?: readonly number[]; rules: Record<string, Rule> },
): Check {
  return judgeEvery(id, source, ({ response }) => [
    ...(statuses === undefined ? [] : [hasStatus(response, ...statuses)]),
    ...holds(response, rules),
  ])
}

/** The runs that should be accepted. */
function rightRuns({ sentRuns }: World): RunCall[] {
  return sentRuns.filter((run) => !run.isOpen && !run.shouldFail && !isOpenForKey(run) && mayDo(run.key, 'runModel'))
}

function isAccepted({ response, hasWebhook, endpoint }: RunCall): Finding {
  if (hasWebhook && endpoint?.url.startsWith('http:') && response.status >= 400)
    return skip(`rejects a webhook_url without https (${rejectionText(response)}); give one with it`, response)
  if (response.status === 402) return skip('the account has no credits', response)
  const isFailure = response.status >= 500 || at(response.json, '/error/code') === 'PROVIDER_FAILURE'
  return isFailure ? skip('the provider failed', response) : hasStatus(response, ...ACCEPTED)
}

function isPossibleDuration(response: ApiResponse): Finding {
  const ms = at(response.json, '/duration_ms')
  const isRight = !(Number(ms) > response.durationMs * 1.1 + SLACK_MS)
  return judge(isRight, `/duration_ms is ${show(ms)} in a call of ${took(response)}`, response)
}

function jobIdsDiffer(runs: readonly RunCall[]): Finding {
  const named = runs.filter(({ jobId }) => jobId !== undefined)
  const ids = named.map(({ jobId }) => jobId)
  const repeated = named.filter((_, index) => ids.indexOf(ids[index]) !== index)
  if (named.length < 2) return skip('fewer than two runs were accepted')
  const responses = (repeated.length > 0 ? repeated : named.slice(0, 2)).map(({ response }) => response)
  return judge(repeated.length === 0, `${named.length} runs have ${new Set(ids).size} different job_ids`, responses)
}
