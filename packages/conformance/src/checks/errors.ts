import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { show } from '../json.ts'
import { every, type Finding, observe } from '../judge/finding.ts'
import { hasObject, hasText, isJson } from '../judge/responses.ts'
import { missingFor, possibleEvidence } from '../plan/missing.ts'
import { readsWithoutKey } from './auth.ts'
import { cancelledUnknown } from './cancel-scenarios.ts'
import { modelViews, unknownModel } from './details.ts'
import { brokenJson } from './inputs.ts'
import { unknownJob } from './jobs.ts'
import { firstPage } from './models-scenarios.ts'
import { asyncJob, defaultRun, unknownModelRun } from './runs.ts'

/** Responses to what cannot be found or read. */
const REJECTED = [unknownModel, unknownJob, unknownModelRun, cancelledUnknown, brokenJson]

/** Error responses of every kind that can be had. */
const rejections = defineScenario('rejections', { uses: [readsWithoutKey], mayUse: REJECTED }, async (session) => {
  const unauthorized: ApiResponse[] = Object.values(await session.evidence(readsWithoutKey))
  return [...unauthorized, ...(await possibleEvidence(session, REJECTED))]
})

/** One response of each endpoint that reads or runs. */
const successes = defineScenario(
  'successes',
  { uses: [firstPage, modelViews], mayUse: [defaultRun, asyncJob] },
  async (session) => {
    const [model] = (await session.evidence(modelViews)).views
    const responses = [await session.evidence(firstPage), ...(model === undefined ? [] : [model.details])]
    if (missingFor(defaultRun, session.options) !== undefined) return responses
    const [run, job] = [await session.evidence(defaultRun), await session.evidence(asyncJob)]
    return [...responses, run.response, job.polled.last]
  },
)

/** What all responses have in common (sections 4 and 7). */
export const ERRORS_CHECKS: readonly Check[] = [
  check('errors/json-responses', successes, (responses) => every(responses.map(isJson))),
  check('errors/object', rejections, (responses) => ofEach(responses, (response) => hasObject(response, '/error'))),
  check('errors/code', rejections, (responses) => ofEach(responses, (response) => hasText(response, '/error/code'))),
  check('errors/request-id', firstPage, (response) => {
    const id = response.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, response)
  }),
  check('errors/message', rejections, (responses) =>
    ofEach(responses, (response) => hasText(response, '/error/message')),
  ),
]

/** Whether a request is rejected is for other checks: the cancel of an unknown job, for example, may be a success. */
function ofEach(responses: readonly ApiResponse[], judgeOne: (response: ApiResponse) => Finding): Finding {
  return every(responses.filter(({ status }) => status >= 400).map(judgeOne), 'nothing was rejected')
}
