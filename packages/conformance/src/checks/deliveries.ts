import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { every, type Finding, judge, skip } from '../judge/finding.ts'
import { outputJudges } from '../judge/output.ts'
import { possibleEvidence } from '../plan/missing.ts'
import { jobStatus } from '../session/jobs.ts'
import type { Delivery } from '../webhooks/webhook-endpoints.ts'
import { cancelledLongAgo } from './cancel-scenarios.ts'
import {
  asyncWebhook,
  cancelledWebhook,
  type DeliveredRun,
  failureWebhook,
  firstDelivery,
  isOfRun,
  lastRead,
  onDelivery,
  readAfterDelivery,
  rejectedWebhook,
  silentWebhook,
  successWebhook,
} from './webhooks.ts'

/** A delivery that came this long before a read may have been overtaken by it. */
const OVERTAKING_MS = 5_000

const DELIVERED = [successWebhook, failureWebhook, rejectedWebhook, silentWebhook, asyncWebhook]

/** Every run with a webhook that could be made and was not cancelled. */
const deliveredRuns = defineScenario('delivered-runs', { uses: [successWebhook], mayUse: DELIVERED }, (session) =>
  possibleEvidence(session, DELIVERED),
)

/** What arrived at a `webhook_url`, and the job that it should be about. */
interface Arrivals {
  jobId: unknown
  /** Missing when any status is allowed. */
  status: unknown
  response: ApiResponse
  deliveries: readonly Delivery[]
}

const allArrivals = defineScenario(
  'all-arrivals',
  { uses: [deliveredRuns], mayUse: [cancelledWebhook] },
  async (session) => {
    const arrivals: Arrivals[] = (await session.evidence(deliveredRuns)).map(({ response, deliveries, polled }) => {
      return { jobId: at(response.json, '/job_id'), status: polled && jobStatus(polled.last), response, deliveries }
    })
    const cancelled = await session.evidence(cancelledWebhook).catch(() => undefined)
    if (cancelled === undefined) return arrivals
    const { after, started, deliveries } = cancelled
    return [...arrivals, { jobId: after.jobId, status: undefined, response: started, deliveries }]
  },
)

/** The run with a webhook that was cancelled, when it would have ended. */
const cancelledWebhookLater = defineScenario(
  'cancelled-webhook-later',
  { uses: [cancelledWebhook], mayUse: [cancelledLongAgo] },
  async (session) => {
    const run = await session.evidence(cancelledWebhook)
    // Its rest is long enough for this run too; it may be impossible.
    await session.evidence(cancelledLongAgo).catch(() => {})
    return run
  },
)

/** More of what is delivered, where to, and what can be polled then (sections 4.3 and 6). */
export const DELIVERIES_CHECKS: readonly Check[] = [
  check('webhooks/whole-url', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    const [delivered, wanted] = [endOf(delivery.url), endOf(run.url)]
    const detail = `delivered to …${show(delivered)}; the webhook_url ends in ${show(wanted)}`
    return judge(delivered === wanted, detail, delivery)
  }),
  check('webhooks/output-parts', successWebhook, (run) => {
    // Judged like a response of the same body.
    const { json, exchange } = firstDelivery(run)
    const body = { json, exchange, status: 200, headers: new Headers(), text: '', durationMs: 0 }
    return every(Object.values(outputJudges).map((judgePart) => judgePart(body, '/output')))
  }),
  check('webhooks/same-type-by-polling', successWebhook, (run) => {
    const proof = [firstDelivery(run), lastRead(run)] as const
    const [delivered, read] = [at(proof[0].json, '/output/type'), at(proof[1].json, '/data/output/type')]
    return judge(delivered === read, `the type is ${show(delivered)} delivered, ${show(read)} polled`, proof)
  }),
  check('webhooks/result-stays', successWebhook, (run) => isReadAfterwards(run, 'succeeded')),
  check('webhooks/result-after-500', rejectedWebhook, (run) => isReadAfterwards(run, 'succeeded')),
  check('webhooks/result-after-silence', silentWebhook, (run) => isReadAfterwards(run, 'succeeded')),
  check('webhooks/failure-by-polling', failureWebhook, (run) => isReadAfterwards(run, 'failed')),
  onDelivery('webhooks/failure-job-id', failureWebhook, '/job_id', isOfRun),
  check('webhooks/failure-post', failureWebhook, (run) => {
    const delivery = firstDelivery(run)
    const { method, json } = delivery
    return judge(method === 'POST' && isRecord(json), `the delivery is a ${method} of ${show(json)}`, delivery)
  }),
  check('webhooks/async-delivered', asyncWebhook, ({ response, deliveries, polled }) => {
    if (response.status >= 300 || polled === undefined)
      return skip(`the response to the run has the status ${response.status}`, response)
    const [first] = deliveries
    const isRight = at(first?.json, '/job_id') === polled.jobId && at(first?.json, '/status') === jobStatus(polled.last)
    return judge(isRight, `${deliveries.length} deliveries came; the job is ${show(jobStatus(polled.last))}`, [
      response,
      ...deliveries,
    ])
  }),
  check('webhooks/after-the-end', deliveredRuns, (runs) => every(runs.map(cameAfterTheEnd))),
]

/** What has arrived by the end of the suite. */
export const LATE_DELIVERIES_CHECKS: readonly Check[] = [
  check('webhooks/one-result', allArrivals, (arrivals) => every(arrivals.map(isOneResult))),
  check('webhooks/no-success-when-cancelled', cancelledWebhookLater, ({ after, deliveries }) => {
    if (jobStatus(after.last) !== 'cancelled') return skip('the job was not cancelled', [after.last])
    const successes = deliveries.filter(({ json }) => at(json, '/status') === 'succeeded')
    return judge(successes.length === 0, `${successes.length} success deliveries for a cancelled job`, [
      after.last,
      ...deliveries,
    ])
  }),
]

/** The end of the path, and the query however it is encoded: a forwarder in between may have another host. */
function endOf(url: string): string {
  const { pathname, searchParams } = new URL(url)
  return `${pathname.slice(pathname.lastIndexOf('/'))}?${searchParams}`
}

function isReadAfterwards(run: DeliveredRun, expected: 'succeeded' | 'failed'): Finding {
  const read = readAfterDelivery(run)
  const member = expected === 'succeeded' ? '/data/output/items' : '/data/error/message'
  const value = at(read.json, member)
  const isRight = read.status < 300 && jobStatus(read) === expected && value !== undefined && value !== null
  return judge(isRight, `polling reads status ${read.status}, ${show(jobStatus(read))}, ${member} ${show(value)}`, read)
}

/** Judges that every delivery is about this run, and always with the same status. */
function isOneResult({ jobId, status, response, deliveries }: Arrivals): Finding {
  const isUnexpected = ({ json }: Delivery) =>
    at(json, '/job_id') !== jobId || (status !== undefined && at(json, '/status') !== status)
  const unexpected = deliveries.find(isUnexpected)
  const found = unexpected && `${show(at(unexpected.json, '/status'))} of ${show(at(unexpected.json, '/job_id'))}`
  return judge(
    unexpected === undefined,
    `the job ${show(jobId)} is ${show(status)}; delivered: ${found ?? 'the same'}`,
    [response, ...deliveries],
  )
}

function cameAfterTheEnd({ response, deliveries, polled }: DeliveredRun): Finding {
  const [first] = deliveries
  const cameAt = Date.parse(first?.exchange.startedAt ?? '') + OVERTAKING_MS
  const early = polled?.reads.find(
    (read) => /^(queued|processing)$/.test(String(jobStatus(read))) && Date.parse(read.exchange.startedAt) > cameAt,
  )
  if (early === undefined) return judge(true, 'no poll after a delivery reads an unfinished job', response)
  return judge(false, `a delivery came, and ${OVERTAKING_MS} ms later polling read ${show(jobStatus(early))}`, early)
}
