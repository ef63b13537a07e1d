import type { Check } from '../check.ts'
import { type Finding, fail, judge, observe, pass, skip } from '../finding.ts'
import { at, isRecord, show } from '../json.ts'
import { confirmedRetries, LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { isTerminal, jobStatus } from '../session/actions.ts'
import type { Delivery, WebhookEndpoint } from '../webhooks/webhook-endpoints.ts'
import { isContinued, ownFields } from './job-judges.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-every.ts'
import { OF_DELIVERIES, observeMore } from './more-members.ts'
import { AT_PROVIDER, ERROR, hasOutput, holds, none, oneOf, sameOutput, shownOnly, utcTime } from './rules.ts'
import { utcTimeOf } from './utc-timestamp.ts'
import { allCancels, isBefore, isSuspicious, type JobStory, jobOf, type RunCall, startOf, type World } from './world.ts'

/** A run that was accepted with a webhook, and what arrived there. */
interface Delivered extends Pick<WebhookEndpoint, 'url' | 'deliveries'> {
  run: RunCall
  job: JobStory | undefined
}

/** One delivery with its run. */
type Arrival = Delivered & { delivery: Delivery }

/** Runs with a webhook, and what arrived there. */
const SENT: Source<Delivered> = {
  from: [FIRST.webhook, FIRST.asyncWebhook, FIRST.failingWebhook, FIRST.cancelledWebhook, ...LASTS],
  pick: (world) =>
    world.sentRuns.flatMap((run) => (run.endpoint ? { run, job: jobOf(run, world), ...run.endpoint } : [])),
  nothing: 'no run with a webhook_url was accepted',
}
const DELIVERED = only(SENT, ({ run }) => run.response.status < 400)
/** Runs that were rejected, and what arrived all the same. */
const isRejected = ({ run: { response, jobId } }: Delivered) => response.status >= 400 && jobId === undefined
const REJECTED = only(SENT, isRejected, 'no run with a webhook_url was rejected')
const isAccepted = ({ run, deliveries }: Delivered) => run.endpoint?.behavior === 'accept' && deliveries.length > 0
const ACCEPTED = only(DELIVERED, isAccepted, 'no delivery came')
const OF_CANCELS = { ...DELIVERED, from: [FIRST.cancelledWebhook, ...LASTS] }
const CANCELLED = only(OF_CANCELS, ({ job }) => job?.outcome === 'cancelled', 'no job with a webhook was cancelled')
const ARRIVALS: Source<Arrival> = {
  ...DELIVERED,
  pick: (world) => DELIVERED.pick(world).flatMap((run) => run.deliveries.map((delivery) => ({ ...run, delivery }))),
  nothing: 'no delivery came',
}
const ofStatus = (status: string, from = ARRIVALS.from) =>
  only({ ...ARRIVALS, from }, ({ delivery }) => at(delivery.json, '/status') === status, `no delivery said ${status}`)
const SUCCESSES = ofStatus('succeeded')
const FAILURES = ofStatus('failed', [FIRST.failingWebhook, ...LASTS])
const EXPECTED_FAILURES = only(FAILURES, ({ run }) => run.shouldFail, 'no run was to fail')

/** A delivery that came this long before a read may have been overtaken by it. */
const OVERTAKING_MS = 5_000

/** Headers that every HTTP client may send; others may let a receiver verify a delivery. */
const COMMON_HEADERS =
  /^(accept.*|connection|content-(type|length|encoding)|host|user-agent|x-forwarded-.*|via|forwarded|cache-control|pragma|sec-.*|transfer-encoding|traceparent|tracestate|priority|keep-alive)$/

/** Every delivery, wherever it came (sections 3, 4.3, 6 and 7). */
export const DELIVERY_JUDGES: readonly Check[] = [
  judgeEvery('webhooks/delivered', DELIVERED, isDelivered),
  judgeEvery('webhooks/post', ARRIVALS, ({ delivery }) => {
    const { method, json, headers } = delivery
    const contentType = headers.get('content-type') ?? 'application/json'
    const isRight = method === 'POST' && isRecord(json) && /json\b/i.test(contentType)
    const detail = `the delivery is a ${method} of ${show(json)} as ${contentType}; expected a POST of an object as JSON`
    return judge(isRight, detail, delivery)
  }),
  judgeEvery('webhooks/whole-url', ARRIVALS, ({ delivery, url }) => {
    const [delivered, wanted] = [endOfUrl(delivery.url), endOfUrl(url)]
    const detail = `delivered to …${show(delivered)}; the webhook_url ends in ${show(wanted)}`
    return judge(delivered === wanted, detail, delivery)
  }),
  judgeEvery('webhooks/one-result', ARRIVALS, (one, world) => [isItsResult(one, world), isLikeTheFirst(one)]),
  judgeEvery('webhooks/output', SUCCESSES, ({ delivery }) => [
    hasOutput(delivery, '/output'),
    ...holds(delivery, { '/error': none }),
  ]),
  judgeEvery('webhooks/credits', SUCCESSES, ({ delivery, run: { price } }) =>
    price === undefined ? skip('the price is not known', delivery) : holds(delivery, { '/credits_used': oneOf(price) }),
  ),
  judgeEvery('webhooks/completed-at', SUCCESSES, ({ delivery }) => holds(delivery, { '/completed_at': utcTime })),
  judgeEvery('webhooks/same-result-by-polling', SUCCESSES, ({ delivery, job }) => {
    const read = job?.reads.findLast((one) => jobStatus(one) === 'succeeded')
    return read === undefined
      ? skip('polling did not show the result', delivery)
      : sameOutput([delivery, '/output'], [read, '/data/output'])
  }),
  judgeEvery('webhooks/failure-error', FAILURES, ({ delivery }) => holds(delivery, { ...ERROR, '/output': none })),
  judgeEvery('webhooks/failure-code', EXPECTED_FAILURES, ({ delivery }) => holds(delivery, AT_PROVIDER)),
  judgeAll('webhooks/more-fields', ARRIVALS, (arrivals) => {
    const deliveries = arrivals.map(({ delivery }) => delivery)
    return observeMore(deliveries, OF_DELIVERIES)
  }),
  judgeEvery('webhooks/after-the-end', DELIVERED, cameAfterTheEnd),
  judgeEvery('webhooks/not-retried', { ...DELIVERED, from: [confirmedRetries, ...LASTS] }, isNotRetried),
  judgeEvery('webhooks/no-success-when-cancelled', CANCELLED, (one, world) =>
    mayHaveEndedFirst(one, world) ? skip('the job may have ended first', one.deliveries) : hasNoSuccess(one),
  ),
  judgeEvery('webhooks/nothing-when-rejected', REJECTED, (one, { jobs }) => [
    hasNoSuccess(one),
    ...one.deliveries.map((delivery) => {
      const jobId = at(delivery.json, '/job_id')
      // What is wrong may fail later, as a job that nothing names.
      const isPossible = one.run.isOpen && !jobs.some((job) => job.jobId === jobId)
      return judge(isPossible, `a delivery for ${show(jobId)} came to the webhook_url of a rejected run`, delivery)
    }),
  ]),
  judgeAll('webhooks/duplicates', ACCEPTED, ([{ deliveries }]) =>
    observe(deliveries.length, `${deliveries.length} deliveries arrived`, deliveries),
  ),
  judgeAll('webhooks/headers', ACCEPTED, ([{ deliveries }]) => {
    const [first] = deliveries
    const names = [...(first?.headers.keys() ?? [])].filter((name) => !COMMON_HEADERS.test(name)).toSorted()
    return observe(names, `headers that could verify a delivery: ${show(names)}`, first ?? [])
  }),
  judgeAll('webhooks/cancelled-job', CANCELLED, ([{ job, deliveries }]) => {
    const detail = `${deliveries.length} deliveries for a cancelled job`
    return observe(deliveries.length > 0 ? 'sent' : 'none', detail, [job?.end ?? [], deliveries].flat())
  }),
]

/** The end of the path, and the query however it is encoded: a forwarder in between may have another host. */
function endOfUrl(url: string): string {
  const { pathname, searchParams } = new URL(url)
  return `${pathname.slice(pathname.lastIndexOf('/'))}?${searchParams}`
}

function isDelivered({ run, job, deliveries }: Delivered, { session }: World): Finding {
  const [first] = deliveries
  const lateMs = first && job?.end ? startOf(first.exchange) - startOf(job.end.exchange) : 0
  const isLate = lateMs > session.options.limits.deliveryMs
  if (isLate) return fail(`a delivery came ${lateMs} ms after a poll of the end`, deliveries)
  if (first !== undefined) return pass('a delivery came', deliveries)
  if (job === undefined) return fail('no delivery came, and the response names no job', run)
  const hasResult = job.outcome === 'succeeded' || job.outcome === 'failed'
  return (hasResult ? fail : skip)(`the job is ${show(job.outcome)}; no delivery came`, run)
}

/** Judges that a delivery is about its own run, and says how that ended. */
function isItsResult(arrival: Arrival, world: World): Finding {
  const { run, job, delivery, deliveries } = arrival
  const [jobId, status] = [at(delivery.json, '/job_id'), at(delivery.json, '/status')]
  const polled = job?.outcome
  const wanted = polled ?? at((deliveries[0] ?? delivery).json, '/status')
  // A service may deliver that a job was cancelled, or the other end that the cancel came too late for (section 6).
  const isOtherEnd = status === 'succeeded' || status === 'failed'
  const isOpen = polled === 'cancelled' && (!isOtherEnd || mayHaveEndedFirst(arrival, world))
  const isRight = jobId === run.jobId && (isOpen || (isTerminal(status) && status === wanted))
  const detail = `delivered: ${show(status)} of ${show(jobId)}; the job ${show(run.jobId)} is ${show(wanted)}`
  return judge(isRight, detail, [run, delivery])
}

/** Judges that a delivery says what the others for its run say, what polling says, and what the run said. */
function isLikeTheFirst({ run, job, delivery, deliveries }: Arrival): Finding {
  const [first = delivery] = deliveries
  const [shown, expected] = [delivery, first].map(({ json }) =>
    show([
      ...['/status', '/credits_used', '/error/code'].map((pointer) => at(json, pointer) ?? null),
      utcTimeOf(at(json, '/completed_at')) ?? null,
    ]),
  )
  if (shown !== expected) return fail(`delivered: ${shown}, and before: ${expected}`, [first, delivery])
  const { '/job_id': _, ...own } = ownFields(run)
  const code = at(job?.end?.json, '/data/error/code')
  const isFailure = at(delivery.json, '/status') === 'failed' && typeof code === 'string'
  const repeated = isFailure ? { ...own, '/error/code': oneOf(code) } : own
  const wrong = shownOnly(delivery, '', repeated).find(({ verdict }) => verdict === 'fail')
  return wrong ?? pass('deliveries of one run say the same', delivery)
}

/**
 * Whether the job may have ended before its cancel came: what that does is open (section 3), unless another job that had ended
 * stayed as it was when it was cancelled.
 */
function mayHaveEndedFirst({ deliveries, job }: Delivered, { jobs }: World): boolean {
  const [first, cancel] = [deliveries[0], job && allCancels(job)[0]]
  if (first === undefined || cancel === undefined || jobs.some(stayedAsItWas)) return false
  return startOf(first.exchange) <= startOf(cancel.exchange) + OVERTAKING_MS
}

function stayedAsItWas(job: JobStory): boolean {
  const { end, reads } = job
  const cancel = end && allCancels(job).find((one) => isBefore(end, one))
  const after = cancel && reads.find((read) => isBefore(cancel, read))
  return after !== undefined && jobStatus(after) === 'succeeded'
}

function cameAfterTheEnd({ run, job, deliveries }: Delivered): Finding {
  const [first] = deliveries
  if (first === undefined || job === undefined) return skip('no delivery came', run)
  const cameAt = startOf(first.exchange) + OVERTAKING_MS
  const early = job.reads.find((read) => isContinued(read) && startOf(read.exchange) > cameAt)
  if (early === undefined) return pass('no poll after the delivery reads an unfinished job', first)
  return fail(`a delivery came, and ${OVERTAKING_MS} ms later polling read ${show(jobStatus(early))}`, early)
}

/** So many runs that are alike, each with more deliveries than any that was accepted, show attempts and no duplicates. */
const SURE = 4

function isNotRetried({ run, deliveries }: Delivered, world: World): Finding {
  if (run.endpoint?.behavior === 'accept' || deliveries.length === 0) return skip('no delivery was rejected', run)
  const isAlike = (other: RunCall) => likeness(other) === likeness(run) && other.endpoint?.deliveries.length !== 0
  const alike = world.sentRuns.filter(isAlike)
  const isRetry = alike.length >= SURE && alike.every((other) => isSuspicious(other, world))
  const found = `${deliveries.length} deliveries to a receiver that responds with ${run.endpoint?.behavior}`
  return judge(!isRetry, isRetry ? `${found}, which is more than any that is accepted` : found, deliveries)
}

function likeness({ id, sync, key, endpoint }: RunCall): string {
  return show([id, sync ?? null, key.name ?? null, endpoint?.behavior ?? null])
}

function hasNoSuccess({ run, deliveries }: Delivered): Finding {
  const successes = deliveries.filter(({ json }) => at(json, '/status') === 'succeeded')
  return judge(successes.length === 0, `${successes.length} success deliveries`, [run, ...deliveries])
}
