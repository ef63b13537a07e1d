import { type Check, check, type Scenario } from '../check.ts'
import { at, isRecord, show } from '../json.ts'
import { type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
import { fileUrls } from '../judge/output.ts'
import { hasStatus, hasValue, rejectionOf } from '../judge/responses.ts'
import { isUtcTimestamp } from '../judge/utc-timestamp.ts'
import { jobStatus } from '../session/jobs.ts'
import { hasIdentity, mentionsPolling } from './runs.ts'
import {
  asyncWebhook,
  asyncWithAcceptedCount,
  cancelledWebhook,
  type DeliveredRun,
  failureWebhook,
  firstDelivery,
  lastRead,
  type RejectedRun,
  rejectedWithAcceptedCount,
  silentWithAcceptedCount,
  successWebhook,
} from './webhooks-scenarios.ts'

/** Headers that every HTTP client may send; others may let a receiver verify a delivery. */
const COMMON_HEADERS =
  /^(accept.*|connection|content-(type|length|encoding)|host|user-agent|x-forwarded-.*|via|forwarded|cache-control|pragma|sec-.*|transfer-encoding|traceparent|tracestate|priority|keep-alive)$/

/** Runs with a webhook, and what is delivered (sections 3, 4.3, 6 and 7). */
export const WEBHOOKS_CHECKS: readonly Check[] = [
  check('webhooks/run-status-code', successWebhook, ({ response }) => hasStatus(response, 202)),
  check('webhooks/run-identity', successWebhook, hasIdentity),
  check('webhooks/run-status', successWebhook, ({ response }) => hasValue(response, '/status', 'processing')),
  check('webhooks/run-message', successWebhook, ({ response }) => mentionsPolling(response)),
  check('webhooks/delivered', successWebhook, isDelivered),
  check('webhooks/post', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    return judge(delivery.method === 'POST', `the delivery is a ${delivery.method}; expected POST`, delivery)
  }),
  check('webhooks/json', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    return judge(isRecord(delivery.json), `the body is ${show(delivery.json)}; expected a JSON object`, delivery)
  }),
  onDelivery('webhooks/job-id', successWebhook, '/job_id', isOfRun),
  onDelivery('webhooks/status', successWebhook, '/status', (value) => value === 'succeeded'),
  onDelivery('webhooks/output', successWebhook, '/output', isRecord),
  onDelivery('webhooks/credits', successWebhook, '/credits_used', (value, run) => value === run.target.creditsPerRun),
  onDelivery('webhooks/completed-at', successWebhook, '/completed_at', isUtcTimestamp),
  check('webhooks/same-result-by-polling', successWebhook, (run) => {
    const [delivery, last] = [firstDelivery(run), lastRead(run)]
    const [delivered, read] = [at(delivery.json, '/output'), at(last.json, '/data/output')]
    const isSame = jobStatus(last) === 'succeeded' && fileUrls(delivered).length === fileUrls(read).length
    return judge(isSame, `polling reads ${show(jobStatus(last))} with ${show(read)}`, [delivery, last])
  }),
  check('webhooks/failure-delivered', failureWebhook, isDelivered),
  onDelivery('webhooks/failure-status', failureWebhook, '/status', (value) => value === 'failed'),
  onDelivery('webhooks/failure-code', failureWebhook, '/error/code', (value) => value === 'PROVIDER_FAILURE'),
  onDelivery(
    'webhooks/failure-message',
    failureWebhook,
    '/error/message',
    (value) => typeof value === 'string' && value !== '',
  ),
  check('webhooks/no-retry-after-500', rejectedWithAcceptedCount, isNotRetried),
  check('webhooks/no-retry-after-silence', silentWithAcceptedCount, isNotRetried),
  check('webhooks/no-retry-after-404', asyncWithAcceptedCount, isNotRetried),
  check('webhooks/duplicates', successWebhook, ({ deliveries }) =>
    observe(deliveries.length, `${deliveries.length} deliveries arrived`, deliveries),
  ),
  check('webhooks/headers', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    const names = [...delivery.headers.keys()].filter((name) => !COMMON_HEADERS.test(name)).toSorted()
    return observe(names, `headers that could verify a delivery: ${show(names)}`, delivery)
  }),
  check('webhooks/cancelled-job', cancelledWebhook, ({ after, deliveries }) => {
    if (jobStatus(after.last) !== 'cancelled') return skip('the job was not cancelled', [after.last])
    const observation = deliveries.length > 0 ? 'sent' : 'none'
    return observe(observation, `${deliveries.length} deliveries for a cancelled job`, [after.last, ...deliveries])
  }),
  check('webhooks/async-run', asyncWebhook, ({ response }) => {
    const status = at(response.json, '/status')
    return observe(
      { ...rejectionOf(response), response: String(status) },
      `status ${response.status}, /status ${show(status)}`,
      response,
    )
  }),
]

/** Judges a value of the first delivery's body. */
export function onDelivery(
  id: string,
  scenario: Scenario<DeliveredRun>,
  ...[pointer, isRight]: [string, (value: unknown, run: DeliveredRun) => boolean]
): Check {
  return check(id, scenario, (run) => {
    const delivery = firstDelivery(run)
    const value = at(delivery.json, pointer)
    return judge(isRight(value, run), `${pointer} of the delivery is ${show(value)}`, delivery)
  })
}

export function isOfRun(jobId: unknown, { response }: DeliveredRun): boolean {
  return jobId === at(response.json, '/job_id')
}

function isDelivered({ deliveries, response }: DeliveredRun): Finding {
  if (deliveries.length === 0) return fail('no delivery came', response)
  return pass('a delivery came', deliveries)
}

/** A service may deliver everything twice (section 6, rule 3): only more than that is a retry. */
function isNotRetried({ deliveries, response, acceptedCount }: RejectedRun): Finding {
  if (deliveries.length === 0) return skip('no delivery came', response)
  if (acceptedCount === 0) return skip('no delivery came that could be compared', deliveries)
  const found = `${deliveries.length} attempts; a delivery that is accepted comes ${acceptedCount} times`
  return judge(deliveries.length <= acceptedCount, found, deliveries)
}
