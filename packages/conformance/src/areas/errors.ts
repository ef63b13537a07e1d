import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { show } from '../json.ts'
import { hasObject, hasText, isJson } from '../judge/answers.ts'
import { every, type Finding, observe } from '../judge/finding.ts'
import { missingFor } from '../plan/missing.ts'
import { readsWithoutKey } from './auth-scenarios.ts'
import { cancelledUnknown } from './cancel-scenarios.ts'
import { modelViews, unknownModel } from './details-scenarios.ts'
import { brokenJson } from './inputs-scenarios.ts'
import { unknownJob } from './jobs.ts'
import { firstPage } from './models-scenarios.ts'
import { asyncJob, defaultRun, unknownModelRun } from './runs-scenarios.ts'

/** Answers to what cannot be found or read. */
const REFUSED = [unknownModel, unknownJob, unknownModelRun, cancelledUnknown, brokenJson]

/** Error answers of every kind that can be had. */
const rejections: Scenario<readonly Answer[]> = {
  id: 'rejections',
  uses: [readsWithoutKey],
  mayUse: REFUSED,
  perform: async (session) => {
    const answers: Answer[] = Object.values(await session.evidence(readsWithoutKey))
    for (const scenario of REFUSED) {
      if (missingFor(scenario, session.options) === undefined) answers.push(await session.evidence(scenario))
    }
    return answers
  },
}

/** One answer of each endpoint that reads or runs. */
const successes: Scenario<readonly Answer[]> = {
  id: 'successes',
  uses: [firstPage, modelViews],
  mayUse: [defaultRun, asyncJob],
  perform: async (session) => {
    const [model] = (await session.evidence(modelViews)).views
    const answers = [await session.evidence(firstPage), ...(model === undefined ? [] : [model.details])]
    if (missingFor(defaultRun, session.options) !== undefined) return answers
    const [run, job] = [await session.evidence(defaultRun), await session.evidence(asyncJob)]
    return [...answers, run.answer, job.watch.last]
  },
}

/** What all answers have in common (sections 4 and 7). */
export const ERRORS_CHECKS: readonly Check[] = [
  check('errors/json-answers', successes, (answers) => every(answers.map(isJson))),
  check('errors/object', rejections, (answers) => ofEach(answers, (answer) => hasObject(answer, '/error'))),
  check('errors/code', rejections, (answers) => ofEach(answers, (answer) => hasText(answer, '/error/code'))),
  check('errors/request-id', firstPage, (answer) => {
    const id = answer.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, answer)
  }),
  check('errors/message', rejections, (answers) => ofEach(answers, (answer) => hasText(answer, '/error/message'))),
]

/** Whether a request is rejected is for other checks: the cancel of an unknown job, for example, may be a success. */
function ofEach(answers: readonly Answer[], judgeOne: (answer: Answer) => Finding): Finding {
  return every(answers.filter(({ status }) => status >= 400).map(judgeOne), 'nothing was rejected')
}
