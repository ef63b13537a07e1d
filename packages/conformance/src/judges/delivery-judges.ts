import type { Check } from '../check.ts'
import { LASTS } from '../checks/ends.ts'
import { confirmedRetries } from '../checks/retries.ts'
import { asyncWebhook, cancelledWebhook, failureWebhook, successWebhook } from '../checks/webhooks.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { type Finding, judge, pass, skip } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { has, hasText, hasValue, lacks } from '../judge/responses.ts'
import { utcTimeOf } from '../judge/utc-timestamp.ts'
import { isTerminal, jobStatus } from '../session/jobs.ts'
import type { Delivery } from '../webhooks/webhook-endpoints.ts'
import { isSameOutput } from './job-judges.ts'
import { judgeEvery, only, type Source } from './judge-every.ts'
import { allCancels, isSuspicious, type JobStory, jobOf, type RunCall, startOf, type World } from './world.ts'

const WITH_WEBHOOK = [successWebhook, asyncWebhook, failureWebhook, cancelledWebhook]

/** A run that was accepted with a webhook, and what arrived there. */
interface Delivered {
  run: RunCall
  job: JobStory | undefined
  url: string
  deliveries: readonly Delivery[]
}

/** One delivery with its run, and the delivery as if it were a response. */
interface Arrival extends Delivered {
  delivery: Delivery
  body: ApiResponse
}

const DELIVERED: Source<Delivered> = {
  from: [...WITH_WEBHOOK, ...LASTS],
  pick: (world) =>
    world.sentRuns.flatMap((run) => {
      const { endpoint, response } = run
      return endpoint === undefined || response.status >= 400 ? [] : [{ run, job: jobOf(run, world), ...endpoint }]
    }),
  nothing: 'no run with a webhook_url was accepted',
}

const ARRIVALS: Source<Arrival> = {
  ...DELIVERED,
  pick: (world) =>
    DELIVERED.pick(world).flatMap((run) =>
      run.deliveries.map((delivery) => ({ ...run, delivery, body: asResponse(delivery) })),
    ),
  nothing: 'no delivery came',
}
const ofStatus = (status: string, from = ARRIVALS.from) =>
  only({ ...ARRIVALS, from }, ({ body }) => at(body.json, '/status') === status, `no delivery said ${status}`)
const SUCCESSES = ofStatus('succeeded')
const FAILURES = ofStatus('failed', [failureWebhook, ...LASTS])

/** Runs with a webhook that were rejected, and what arrived all the same. */
const REJECTED: Source<Delivered> = {
  ...DELIVERED,
  pick: ({ sentRuns }) =>
    sentRuns.flatMap((run) => {
      const { endpoint, response, jobId } = run
      const isRejected = response.status >= 400 && jobId === undefined
      return endpoint !== undefined && isRejected ? [{ run, job: undefined, ...endpoint }] : []
    }),
  nothing: 'no run with a webhook_url was rejected',
}

/** A delivery that came this long before a read may have been overtaken by it. */
const OVERTAKING_MS = 5_000

/** Every delivery, wherever it came (sections 3, 4.3, 6 and 7). */
export const DELIVERY_JUDGES: readonly Check[] = [
  judgeEvery('webhooks/delivered', DELIVERED, isDelivered),
  judgeEvery('webhooks/post', ARRIVALS, ({ delivery }) => {
    const { method, json } = delivery
    const isRight = method === 'POST' && isRecord(json)
    return judge(isRight, `the delivery is a ${method} of ${show(json)}; expected a POST of an object`, delivery)
  }),
  judgeEvery('webhooks/whole-url', ARRIVALS, ({ delivery, url }) => {
    const [delivered, wanted] = [endOfUrl(delivery.url), endOfUrl(url)]
    const detail = `delivered to …${show(delivered)}; the webhook_url ends in ${show(wanted)}`
    return judge(delivered === wanted, detail, delivery)
  }),
  judgeEvery('webhooks/one-result', ARRIVALS, isItsResult),
  judgeEvery('webhooks/output', SUCCESSES, ({ body }) => [hasOutput(body, '/output'), lacks(body, '/error')]),
  judgeEvery('webhooks/credits', SUCCESSES, ({ body, run }) =>
    run.price === undefined ? skip('the price is not known', body) : hasValue(body, '/credits_used', run.price),
  ),
  judgeEvery('webhooks/completed-at', SUCCESSES, ({ body }) =>
    has(body, '/completed_at', [(value) => utcTimeOf(value) !== undefined, 'a time of ISO 8601 in UTC']),
  ),
  judgeEvery('webhooks/same-result-by-polling', SUCCESSES, ({ delivery, job }) => {
    const read = job?.reads.findLast((one) => jobStatus(one) === 'succeeded')
    return read === undefined
      ? skip('polling did not show the result', delivery)
      : isSameOutput([delivery, '/output'], [read, '/data/output'])
  }),
  judgeEvery('webhooks/failure-error', FAILURES, ({ body }) => [
    hasText(body, '/error/code'),
    hasText(body, '/error/message'),
    lacks(body, '/output'),
  ]),
  judgeEvery(
    'webhooks/failure-code',
    only(FAILURES, ({ run }) => run.shouldFail, 'no run was to fail'),
    ({ body }) => hasValue(body, '/error/code', 'PROVIDER_FAILURE'),
  ),
  judgeEvery('webhooks/after-the-end', DELIVERED, cameAfterTheEnd),
  judgeEvery('webhooks/not-retried', { ...DELIVERED, from: [confirmedRetries, ...LASTS] }, isNotRetried),
  judgeEvery(
    'webhooks/no-success-when-cancelled',
    only(
      { ...DELIVERED, from: [cancelledWebhook, ...LASTS] },
      ({ job }) => job?.end !== undefined && jobStatus(job.end) === 'cancelled',
      'no job with a webhook was cancelled',
    ),
    ({ run, deliveries, job }) =>
      mayHaveEndedFirst(deliveries, job)
        ? skip('the job may have ended first', deliveries)
        : hasNoSuccess(run, deliveries),
  ),
  judgeEvery('webhooks/nothing-when-rejected', REJECTED, ({ run, deliveries }) => hasNoSuccess(run, deliveries)),
]

function asResponse({ json, exchange, headers }: Delivery): ApiResponse {
  return { json, exchange, headers, status: 200, text: '', durationMs: 0 }
}

/** The end of the path, and the query however it is encoded: a forwarder in between may have another host. */
function endOfUrl(url: string): string {
  const { pathname, searchParams } = new URL(url)
  return `${pathname.slice(pathname.lastIndexOf('/'))}?${searchParams}`
}

function isDelivered({ run, job, deliveries }: Delivered): Finding {
  if (deliveries.length > 0) return pass('a delivery came', deliveries)
  const status = job?.end && jobStatus(job.end)
  if (status === 'succeeded' || status === 'failed')
    return judge(false, `the job ${status}; no delivery came`, [run.response])
  return job === undefined
    ? judge(false, 'no delivery came, and the response names no job', run.response)
    : skip(`the job is ${show(status)}`, run.response)
}

/** Judges that a delivery is about its own run, says how that ended, and that all for one run say the same. */
function isItsResult({ run, job, delivery, deliveries }: Arrival): Finding {
  const [jobId, status] = [at(delivery.json, '/job_id'), at(delivery.json, '/status')]
  const polled = job?.end && jobStatus(job.end)
  const [first = delivery] = deliveries
  const wanted = polled ?? at(first.json, '/status')
  // A service may deliver the end of a cancelled job, or the success that the cancel came too late for.
  const isOpen = polled === 'cancelled' && (status !== 'succeeded' || mayHaveEndedFirst(deliveries, job))
  const isRight = jobId === run.jobId && (isOpen || (isTerminal(status) && status === wanted))
  const detail = `delivered: ${show(status)} of ${show(jobId)}; the job ${show(run.jobId)} is ${show(wanted)}`
  return judge(isRight, detail, [run.response, delivery])
}

/** Whether the job may have ended before its cancel came: what that does is open (section 3). */
function mayHaveEndedFirst(deliveries: readonly Delivery[], job: JobStory | undefined): boolean {
  const [first, cancel] = [deliveries[0], job && allCancels(job)[0]]
  if (first === undefined || cancel === undefined) return false
  return startOf(first.exchange) <= startOf(cancel.exchange) + OVERTAKING_MS
}

function cameAfterTheEnd({ run, job, deliveries }: Delivered): Finding {
  const [first] = deliveries
  if (first === undefined || job === undefined) return skip('no delivery came', run.response)
  const cameAt = startOf(first.exchange) + OVERTAKING_MS
  const early = job.reads.find(
    (read) => /^(queued|processing)$/.test(String(jobStatus(read))) && startOf(read.exchange) > cameAt,
  )
  if (early === undefined) return pass('no poll after the delivery reads an unfinished job', first)
  return judge(false, `a delivery came, and ${OVERTAKING_MS} ms later polling read ${show(jobStatus(early))}`, early)
}

/** So many runs that are alike, each with more deliveries than any that was accepted, show attempts and no duplicates. */
const SURE = 4

function isNotRetried({ run, deliveries }: Delivered, world: World): Finding {
  if (run.endpoint?.behavior === 'accept' || deliveries.length === 0)
    return skip('no delivery was rejected', run.response)
  const alike = world.sentRuns.filter(
    (other) => likeness(other) === likeness(run) && other.endpoint?.deliveries.length !== 0,
  )
  const isRetry = alike.length >= SURE && alike.every((other) => isSuspicious(other, world))
  const found = `${deliveries.length} deliveries to a receiver that responds with ${run.endpoint?.behavior}`
  return judge(!isRetry, isRetry ? `${found}, which is more than any that is accepted` : found, deliveries)
}

function likeness({ id, sync, key, endpoint }: RunCall): string {
  return show([id, sync ?? null, key.name ?? null, endpoint?.behavior ?? null])
}

function hasNoSuccess({ response }: RunCall, deliveries: readonly Delivery[]): Finding {
  const successes = deliveries.filter(({ json }) => at(json, '/status') === 'succeeded')
  return judge(successes.length === 0, `${successes.length} success deliveries`, [response, ...deliveries])
}
