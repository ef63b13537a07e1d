import { ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { hasStatus, hasValue, refusalOf, refusalText } from '../judge/answers.ts'
import { BlockedError, every, type Finding, observe } from '../judge/finding.ts'
import type { SpecialKey } from '../options.ts'
import { missingFor } from '../plan/missing.ts'
import { cancelJob, readJob } from '../session/jobs.ts'
import { probeRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { cancelledQueued } from './cancel-scenarios.ts'
import { firstPage, modelsOf } from './models-scenarios.ts'

const NO_MODELS_READ: readonly SpecialKey[] = ['without-models-read']
const NO_RUN: readonly SpecialKey[] = ['without-models-run', 'read-only']
const NO_JOBS_READ: readonly SpecialKey[] = ['without-jobs-read']
const NO_CANCEL: readonly SpecialKey[] = ['without-jobs-write', 'read-only']

const listRefused: Scenario<Answer> = {
  id: 'list-refused',
  keys: NO_MODELS_READ,
  perform: (session) => session.call({ path: ROUTES.listModels.path, key: session.key(NO_MODELS_READ) }),
}

const modelRefused: Scenario<Answer> = {
  id: 'model-refused',
  keys: NO_MODELS_READ,
  uses: [firstPage],
  perform: async (session) => {
    const list = await session.evidence(firstPage)
    const id = modelsOf(list)[0]?.id
    if (typeof id !== 'string') throw new BlockedError('the list of models is empty', list)
    return session.call({ path: routePath(ROUTES.getModel, { id }), key: session.key(NO_MODELS_READ) })
  },
}

const runRefused: Scenario<Answer> = {
  id: 'run-refused',
  keys: NO_RUN,
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(NO_RUN) }),
}

const jobRefused: Scenario<Answer> = {
  id: 'job-refused',
  keys: NO_JOBS_READ,
  uses: [cancelledQueued],
  perform: async (session) => readJob(session, await cancelledJobId(session), { key: session.key(NO_JOBS_READ) }),
}

const cancelRefused: Scenario<Answer> = {
  id: 'cancel-refused',
  keys: NO_CANCEL,
  uses: [cancelledQueued],
  perform: async (session) => cancelJob(session, await cancelledJobId(session), { key: session.key(NO_CANCEL) }),
}

const stillReads: Scenario<Answer> = {
  id: 'still-reads',
  keys: NO_RUN,
  perform: (session) => session.call({ path: ROUTES.listModels.path, key: session.key(NO_RUN) }),
}

const runWithoutJobsWrite: Scenario<Answer> = {
  id: 'run-without-jobs-write',
  keys: ['without-jobs-write'],
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(['without-jobs-write']) }),
}

const webhookWithoutManage: Scenario<Answer> = {
  id: 'webhook-without-manage',
  keys: ['without-webhooks-manage'],
  runs: { main: 1 },
  receiver: true,
  perform: (session) => {
    const { url } = session.mailroom.open('accept')
    return probeRun(session, 'main', { webhook_url: url, key: session.key(['without-webhooks-manage']) })
  },
}

const emptyAccountRun: Scenario<Answer> = {
  id: 'empty-account-run',
  keys: ['no-credits'],
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(['no-credits']) }),
}

/** Keys that lack a permission, or credits (sections 5 and 7). */
export const PERMISSIONS_CHECKS: readonly Check[] = [
  check('permissions/list-needs-models-read', listRefused, isForbidden),
  check('permissions/model-needs-models-read', modelRefused, isForbidden),
  check('permissions/run-needs-models-run', runRefused, isForbidden),
  check('permissions/job-needs-jobs-read', jobRefused, isForbidden),
  check('permissions/cancel-needs-jobs-write', cancelRefused, isForbidden),
  everyRefusal('permissions/forbidden-code', (answer) => hasValue(answer, '/error/code', 'FORBIDDEN')),
  check('permissions/others-remain', stillReads, (answer) => hasStatus(answer, 200)),
  check('permissions/run-and-jobs-write', runWithoutJobsWrite, (answer) =>
    observe(answer.status === 403, `a run without jobs:write: ${refusalText(answer)}`, answer),
  ),
  check('permissions/run-and-webhooks-manage', webhookWithoutManage, (answer) =>
    observe(answer.status === 403, `webhook_url without webhooks:manage: ${refusalText(answer)}`, answer),
  ),
  check('permissions/no-credits', emptyAccountRun, (answer) =>
    observe(refusalOf(answer), `a run without credits: ${refusalText(answer)}`, answer),
  ),
]

function isForbidden(answer: Answer): Finding {
  return hasStatus(answer, 403)
}

/** A check of the rejections of every key that was given. */
function everyRefusal(id: string, judge: (answer: Answer) => Finding): Check {
  const scenarios = [listRefused, modelRefused, runRefused, jobRefused, cancelRefused]
  const gathered: Scenario<Answer[]> = {
    id: `rejections-for-${id}`,
    mayUse: scenarios,
    perform: async (session) => {
      const possible = scenarios.filter((scenario) => missingFor(scenario, session.options) === undefined)
      const answers: Answer[] = []
      for (const scenario of possible) answers.push(await session.evidence(scenario))
      return answers
    },
  }
  return check(id, gathered, (answers) => every(answers.map(judge), 'needs a key that lacks a permission'))
}

/** A job that has ended, so that nothing is at stake when a refusal does not come. */
async function cancelledJobId(session: Session): Promise<string> {
  return (await session.evidence(cancelledQueued)).after.jobId
}
