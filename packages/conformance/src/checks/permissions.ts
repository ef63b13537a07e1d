import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError, observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { probeRun } from '../session/runs.ts'
import type { LimitedKey } from '../session/sent-key.ts'
import { withKey } from './auth.ts'
import { keysAtJobs } from './keys.ts'

/** What a key got that ran the main model, with a webhook or not. */
function runOf(name: LimitedKey, receiver: boolean): Scenario<ApiResponse> {
  return defineScenario(`run-${name}`, { keys: [name], receiver, uses: [keysAtJobs] }, async (session) => {
    const response = (await session.evidence(keysAtJobs)).get(name)
    if (response === undefined) throw new BlockedError('nothing was run with that key')
    return response
  })
}

const runWithoutJobsWrite = runOf('without-jobs-write', false)
const webhookWithoutManage = runOf('without-webhooks-manage', true)
const emptyAccountRun = withKey('empty-account-run', { keys: ['no-credits'], runs: { main: 0 } }, (session, key) =>
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
