import type { Check } from '../check.ts'
import { type Finding, fail, judge, pass, skip } from '../finding.ts'
import { at, isRecord, show } from '../json.ts'
import { FIRST } from '../scenarios/runs.ts'
import { isUnfinished, jobStatus } from '../session/actions.ts'
import type { Delivery, WebhookEndpoint } from '../webhooks/webhook-endpoints.ts'
import { sameOutput } from './job-judges.ts'
import { judgeEvery, only, type Source } from './judge-world.ts'
import { AT_PROVIDER, absent, ERROR, hasOutput, holds, oneOf, utcTime } from './rules.ts'
import { type JobStory, jobOf, type RunCall, startOf, type World } from './world.ts'

/** A run that was accepted with a webhook, and what arrived there. */
interface Delivered extends Pick<WebhookEndpoint, 'url' | 'deliveries'> {
  run: RunCall
  job: JobStory | undefined
}

type Arrival = Delivered & { delivery: Delivery }

/** Runs with a webhook, and what arrived there. */
const SENT: Source<Delivered> = {
  from: [FIRST.webhook, FIRST.asyncWebhook, FIRST.failingWebhook, FIRST.cancelledWebhook],
  pick: (world) =>
    world.sentRuns.flatMap((run) => (run.endpoint ? { run, job: jobOf(run, world), ...run.endpoint } : [])),
  nothing: 'no run with a webhook_url was accepted',
}
const DELIVERED = only(SENT, ({ run }) => run.response.status < 400)
/** Runs that were rejected, and what arrived all the same. */
const isRejected = ({ run: { response, jobId } }: Delivered) => response.status >= 400 && jobId === undefined
const REJECTED = only(SENT, isRejected, 'no run with a webhook_url was rejected')
const OF_CANCELS = { ...DELIVERED, from: [FIRST.cancelledWebhook] }
const CANCELLED = only(OF_CANCELS, ({ job }) => job?.outcome === 'cancelled', 'no job with a webhook was cancelled')
const ARRIVALS: Source<Arrival> = {
  ...DELIVERED,
  pick: (world) => DELIVERED.pick(world).flatMap((run) => run.deliveries.map((delivery) => ({ ...run, delivery }))),
  nothing: 'no delivery came',
}
const ofStatus = (status: string, from = ARRIVALS.from) =>
  only({ ...ARRIVALS, from }, ({ delivery }) => at(delivery.json, '/status') === status, `no delivery said ${status}`)
const SUCCESSES = ofStatus('succeeded')
const FAILURES = ofStatus('failed', [FIRST.failingWebhook])
const EXPECTED_FAILURES = only(FAILURES, ({ run }) => run.shouldFail, 'no run was to fail')

/** A delivery that came this long before a read may have been overtaken by it. */
const OVERTAKING_MS = 5_000

/** Every delivery, wherever it came (sections 3, 4.3, 6 and 7). */
export const DELIVERY_JUDGES: readonly Check[] = [
  judgeEvery('webhooks/delivered', DELIVERED, isDelivered),
  judgeEvery('webhooks/post', ARRIVALS, ({ delivery }) => {
    const { method, json, headers } = delivery
    const contentType = headers.get('content-type') ?? 'application/json'
    const isRight = method === 'POST' && isRecord(json) && /json\b/i.test(contentType)
    const detail = `a delivery is a ${method} of ${show(json)} as ${contentType}; expected a POST of a JSON object`
    return judge(isRight, detail, delivery)
  }),
  judgeEvery('webhooks/whole-url', ARRIVALS, ({ delivery, url }) => {
    const [delivered, wanted] = [endOfUrl(delivery.url), endOfUrl(url)]
    const detail = `a delivery came to a URL that ends in ${show(delivered)}; the webhook_url ends in ${show(wanted)}`
    return judge(delivered === wanted, detail, delivery)
  }),
  judgeEvery('webhooks/one-result', ARRIVALS, (arrival) => [isItsResult(arrival), ...isLikeTheFirst(arrival)]),
  judgeEvery('webhooks/output', SUCCESSES, ({ delivery }) => [
    hasOutput(delivery, '/output'),
    ...holds(delivery, { '/error': absent }),
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
  judgeEvery('webhooks/failure-error', FAILURES, ({ delivery }) => holds(delivery, { ...ERROR, '/output': absent })),
  judgeEvery('webhooks/failure-code', EXPECTED_FAILURES, ({ delivery }) => holds(delivery, AT_PROVIDER)),
  judgeEvery('webhooks/after-the-end', DELIVERED, cameAfterTheEnd),
  judgeEvery('webhooks/not-retried', { ...DELIVERED, from: [FIRST.asyncWebhook] }, isNotRetried),
  judgeEvery('webhooks/no-success-when-cancelled', CANCELLED, (arrived) =>
    mayHaveEndedFirst(arrived) ? skip('the job may have ended first', arrived.deliveries) : hasNoSuccess(arrived),
  ),
  judgeEvery('webhooks/nothing-when-rejected', REJECTED, (arrived, { jobs }) => [
    hasNoSuccess(arrived),
    ...arrived.deliveries.map((delivery) => {
      const jobId = at(delivery.json, '/job_id')
      // What is wrong may fail later, as a job that nothing names.
      const isPossible = arrived.run.isOpen && !jobs.some((job) => job.jobId === jobId)
      return judge(isPossible, `a delivery for ${show(jobId)} came to the webhook_url of a rejected run`, delivery)
    }),
  ]),
]

/** The end of the path, and the query however it is encoded: a forwarder in between may have another host. */
function endOfUrl(url: string): string {
  const { pathname, searchParams } = new URL(url)
  return `${pathname.slice(pathname.lastIndexOf('/'))}?${searchParams}`
}

function isDelivered({ run, job, deliveries }: Delivered, { session }: World): Finding {
  const [first] = deliveries
  const lateMs = first && job?.end ? startOf(first.exchange) - startOf(job.end.exchange) : 0
  if (lateMs > session.options.limits.deliveryMs)
    return fail(`a delivery came ${lateMs} ms after a poll of the end`, deliveries)
  if (first !== undefined) return pass('a delivery came', deliveries)
  if (job === undefined) return fail('no delivery came, and the response names no job', run)
  const hasResult = job.outcome === 'succeeded' || job.outcome === 'failed'
  return (hasResult ? fail : skip)(`a job with a webhook_url is ${show(job.outcome)}; no delivery came`, run)
}

/** Judges that a delivery is about its own run, and says how that ended. */
function isItsResult(arrival: Arrival): Finding {
  const { run, job, delivery, deliveries } = arrival
  const [jobId, status] = [at(delivery.json, '/job_id'), at(delivery.json, '/status')]
  const polled = job?.outcome
  const wanted = polled ?? at((deliveries[0] ?? delivery).json, '/status')
  // A service may deliver that a job was cancelled, or the other end that the cancel came too late for (section 6).
  const isEnd = status === 'succeeded' || status === 'failed'
  const isOpen = polled === 'cancelled' && (!isEnd || mayHaveEndedFirst(arrival))
  const isRight = jobId === run.jobId && (isOpen || ((isEnd || status === 'cancelled') && status === wanted))
  const detail = `a delivery says ${show(status)} of ${show(jobId)}; the job of its run is ${show(wanted)}`
  return judge(isRight, detail, [run, delivery])
}

/** Judges that a delivery says what the others for its run say. */
function isLikeTheFirst({ delivery, deliveries }: Arrival): Finding[] {
  const same = ['/status', '/credits_used', '/completed_at', '/error/code']
  return holds(delivery, Object.fromEntries(same.map((name) => [name, oneOf(at(deliveries[0]?.json, name))])))
}

/** Whether the job may have ended before its cancel came: what that does is open (section 3). */
function mayHaveEndedFirst({ deliveries: [first], job }: Delivered): boolean {
  const [cancel] = job?.cancels ?? []
  return first !== undefined && cancel !== undefined && startOf(first.exchange) < startOf(cancel.exchange)
}

function cameAfterTheEnd({ run, job, deliveries }: Delivered): Finding {
  const [first] = deliveries
  if (first === undefined || job === undefined) return skip('no delivery came', run)
  const cameAt = startOf(first.exchange) + OVERTAKING_MS
  const early = job.reads.find((read) => isUnfinished(read) && startOf(read.exchange) > cameAt)
  if (early === undefined) return pass('no poll after the delivery reads an unfinished job', first)
  return fail(`a delivery came, and ${OVERTAKING_MS} ms later the job is still ${show(jobStatus(early))}`, early)
}

/** A service may deliver anything twice (section 6, rule 3), also now and then: one such run proves nothing. */
const SURE = 2

/** Judges a way not to accept: retries come more often, each time, than anything that was accepted. */
function isNotRetried({ run, deliveries }: Delivered, { sentRuns }: World): Finding {
  const { behavior, status } = run.endpoint ?? {}
  if (behavior === 'accept' || deliveries.length === 0) return skip('no delivery was rejected', run)
  const delivered = sentRuns.flatMap(({ endpoint }) => (endpoint && endpoint.deliveries.length > 0 ? [endpoint] : []))
  const most = Math.max(...delivered.filter((one) => one.behavior === 'accept').map((one) => one.deliveries.length))
  const alike = delivered.filter((one) => one.behavior === behavior)
  const isRetry = most > 0 && alike.length >= SURE && alike.every((one) => one.deliveries.length > most)
  const receiver = behavior === 'silent' ? 'does not respond in 10 s' : `responds ${status}`
  const found = `a receiver that ${receiver} got a result ${deliveries.length} times`
  return judge(!isRetry, isRetry ? `${found}, and each that accepts it ${most} times at most` : found, deliveries)
}

function hasNoSuccess({ run, deliveries }: Delivered): Finding {
  const successes = deliveries.filter(({ json }) => at(json, '/status') === 'succeeded')
  const detail = `${successes.length} deliveries of success for a run that was cancelled or rejected`
  return judge(successes.length === 0, detail, [run, ...deliveries])
}
