import type { Check } from '../check.ts'
import { cancelledQueued } from '../checks/cancel.ts'
import { LASTS } from '../checks/ends.ts'
import { asyncRun, defaultRun, failingJob, failingRun, heldRun, syncRun } from '../checks/runs.ts'
import { asyncWebhook, failureWebhook, successWebhook } from '../checks/webhooks.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { type Finding, judge, observe, skip } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { has, hasCount, hasStatus, hasText, hasValue, rejectionText } from '../judge/responses.ts'
import { isOpenForKey, mayDo } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-every.ts'
import { hasFailed, isHeldAsLong, isWaitedFor, returnAtOnce, took } from './run-times.ts'
import type { RunCall, World } from './world.ts'

/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000
/** The specification gives no wording: polling, the path, or the status of a job in one order or the other. */
const MENTIONS_POLLING = /poll|\/jobs\b|\bjob\b.*\bstatus\b|\bstatus\b.*\bjob\b/i
const mentionsPolling = (message: unknown) => typeof message === 'string' && MENTIONS_POLLING.test(message)

/** Every run that the specification accepts, by its key and its input. */
const RUNS: Source<RunCall> = {
  from: [defaultRun, syncRun, asyncRun, ...LASTS],
  pick: ({ runs }) => runs,
  nothing: 'no run was accepted',
}

const isWaiting = ({ sync, hasWebhook }: RunCall) => sync !== false && !hasWebhook
const says = ({ response }: RunCall) => at(response.json, '/status')
const isCompleted = (run: RunCall) => says(run) === 'completed'

const WAITING = only(RUNS, isWaiting, 'no synchronous run was accepted')
const COMPLETED = only(RUNS, isCompleted, 'no run has completed in its response')
const ASYNC = only(
  { ...RUNS, from: [asyncRun, cancelledQueued, ...LASTS] },
  ({ sync, hasWebhook }) => sync === false && !hasWebhook,
  'no asynchronous run was accepted',
)
const HELD = only(
  { ...RUNS, from: [heldRun, ...LASTS] },
  (run) => isWaiting(run) && run.response.status === 202 && says(run) === 'processing',
  'no run was held',
)
const WITH_WEBHOOK = only(
  { ...RUNS, from: [successWebhook, failureWebhook, ...LASTS] },
  ({ hasWebhook, sync }) => hasWebhook && sync !== false,
  'no run with a webhook_url was accepted',
)
const ASYNC_WITH_WEBHOOK = only(
  { ...RUNS, from: [asyncWebhook, ...LASTS] },
  ({ hasWebhook, sync }) => hasWebhook && sync === false,
  'no run with sync false and a webhook_url was accepted',
)
const RIGHT: Source<RunCall> = { ...RUNS, pick: rightRuns, nothing: 'no run was sent' }
const FAILING: Source<RunCall> = {
  from: [failingRun, failingJob, ...LASTS],
  pick: ({ sentRuns }) => sentRuns.filter((run) => run.shouldFail && isWaiting(run) && !run.isOpen),
  nothing: 'no run failed at the provider',
}

const IN_EVERY_MODE: Source<RunCall> = {
  ...RUNS,
  from: [defaultRun, syncRun, asyncRun, heldRun, failingRun, successWebhook, asyncWebhook, ...LASTS],
}

/** Every run and the response to it (sections 2.4, 3, 4.3 and 8). */
export const RUN_JUDGES: readonly Check[] = [
  judgeEvery('runs/accepted', RIGHT, ({ response, hasWebhook, endpoint }) => {
    if (hasWebhook && endpoint?.url.startsWith('http:') && response.status >= 400)
      return skip(`rejects a webhook_url without https (${rejectionText(response)}); give one with it`, response)
    if (response.status === 402) return skip('the account has no credits', response)
    const isFailure = response.status >= 500 || at(response.json, '/error/code') === 'PROVIDER_FAILURE'
    return isFailure ? skip('the provider failed', response) : hasStatus(response, 200, 202)
  }),
  judgeEvery('runs/waits', WAITING, isWaitedFor),
  judgeEvery('runs/async-status', ASYNC, (run) => [
    hasStatus(run.response, 200, 202),
    hasValue(run.response, '/status', 'queued'),
  ]),
  judgeEvery('webhooks/run-status', WITH_WEBHOOK, ({ response }) => [
    hasStatus(response, 202),
    hasValue(response, '/status', 'processing'),
  ]),
  judgeEvery('webhooks/async-run-status', ASYNC_WITH_WEBHOOK, ({ response }) => [
    hasStatus(response, 200, 202),
    hasValue(response, '/status', 'queued', 'processing'),
  ]),
  judgeEvery(
    'runs/identity',
    only(RUNS, (run) => !(isWaiting(run) && hasFailed(run.response)), RUNS.nothing),
    ({ response, id }) => [
      hasText(response, '/job_id'),
      hasText(response, '/request_id'),
      hasValue(response, '/model_id', id),
    ],
  ),
  judgeEvery(
    'runs/message',
    only(
      { ...RUNS, from: [heldRun, ...LASTS] },
      (run) => run.response.status === 202 && says(run) === 'processing',
      'no run got a 202 that says processing',
    ),
    ({ response }) => has(response, '/message', [mentionsPolling, 'a text that says to poll the job']),
  ),
  judgeEvery('runs/completed-output', COMPLETED, ({ response }) => hasOutput(response, '/output')),
  judgeEvery('runs/completed-duration', COMPLETED, ({ response }) => [
    hasCount(response, '/duration_ms'),
    isPossibleDuration(response),
  ]),
  judgeEvery('runs/credits-are-the-price', COMPLETED, ({ response, price }) =>
    price === undefined ? skip('the price is not known', response) : hasValue(response, '/credits_used', price),
  ),
  judgeEvery('runs/held-time', HELD, isHeldAsLong),
  judgeAll(
    'runs/async-at-once',
    only(
      { ...RUNS, from: [cancelledQueued, ...LASTS] },
      (run) => !isWaiting(run),
      'no run was accepted that should return at once',
    ),
    returnAtOnce,
  ),
  judgeEvery('runs/failed-is-not-completed', FAILING, ({ response }) => {
    const status = at(response.json, '/status')
    const isRight = status !== 'completed' && status !== 'succeeded'
    return judge(isRight, `/status of a failed run is ${show(status)}`, response)
  }),
  judgeAll('runs/job-ids-differ', RUNS, jobIdsDiffer),
  judgeAll('runs/more-fields', IN_EVERY_MODE, moreFields),
]

/** The runs that should be accepted. */
function rightRuns({ sentRuns }: World): RunCall[] {
  return sentRuns.filter(
    (run) => !run.isOpen && !run.shouldFail && !isOpenForKey(run) && mayDo(run.key.lacks, 'runModel', run.key.kind),
  )
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

/** Members that section 4.3 names, by the status that the response says. */
const NAMED: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ new Map([
  ['completed', ['output', 'duration_ms', 'credits_used']],
  ['queued', []],
  ['processing', ['message']],
  ['failed', ['error']],
  ['cancelled', ['error']],
])

const IDENTITY: readonly string[] = ['job_id', 'request_id', 'status', 'model_id']

function moreFields(runs: readonly RunCall[]): Finding {
  const responses = runs.map(({ response }) => response)
  const names = [...new Set(responses.flatMap(moreMembers))].toSorted()
  return observe(names, `members that are not named: ${show(names)}`, responses)
}

/** As in `queued/created_at`. */
function moreMembers({ json }: ApiResponse): string[] {
  const status = String(at(json, '/status'))
  const named = NAMED.get(status)
  if (!isRecord(json) || named === undefined) return []
  const more = Object.keys(json).filter((name) => ![...IDENTITY, ...named].includes(name))
  return more.map((name) => `${status}/${name}`)
}
