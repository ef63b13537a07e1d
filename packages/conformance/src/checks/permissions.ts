import { type Check, check } from '../check.ts'
import { observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { probeRun } from '../session/runs.ts'
import { withKey } from './auth.ts'

const runWithoutJobsWrite = withKey(
  'run-without-jobs-write',
  { keys: ['without-jobs-write'], runs: { main: 1 } },
  (session, key) => probeRun(session, 'main', { key }),
)
const webhookWithoutManage = withKey(
  'webhook-without-manage',
  { keys: ['without-webhooks-manage'], runs: { main: 1 }, receiver: true },
  (session, key) => probeRun(session, 'main', { webhook_url: session.webhookEndpoints.open('accept').url, key }),
)
const emptyAccountRun = withKey('empty-account-run', { keys: ['no-credits'], runs: { main: 1 } }, (session, key) =>
  probeRun(session, 'main', { key }),
)

/** What section 5 leaves open of permissions, and section 7 of credits. */
export const PERMISSIONS_CHECKS: readonly Check[] = [
  check('permissions/run-and-jobs-write', runWithoutJobsWrite, (response) =>
    observe(response.status === 403, `a run without jobs:write: ${rejectionText(response)}`, response),
  ),
  check('permissions/run-and-webhooks-manage', webhookWithoutManage, (response, { options: { receiver } }) => {
    const isOfUrl = response.status !== 403 && response.status >= 400 && receiver?.url.startsWith('http:')
    if (isOfUrl) return skip(`rejects a webhook_url without https: ${rejectionText(response)}`, response)
    return observe(response.status === 403, `webhook_url without webhooks:manage: ${rejectionText(response)}`, response)
  }),
  check('permissions/no-credits', emptyAccountRun, (response) =>
    observe(rejectionOf(response), `a run without credits: ${rejectionText(response)}`, response),
  ),
]
