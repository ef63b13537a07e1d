import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { show } from '../json.ts'
import { refusalOf, refusalText } from '../judge/answers.ts'
import { observe } from '../judge/finding.ts'
import { firstPage } from './models-scenarios.ts'

/** The last response 429 of the whole run of the suite, else a page that was read. */
export const rejectedForRate: Scenario<Answer> = {
  id: 'rejected-for-rate',
  uses: [firstPage],
  perform: async (session) => {
    const page = await session.evidence(firstPage)
    return session.limited.at(-1) ?? page
  },
}

/** Limits that the specification does not show (section 8). */
export const LIMITS_CHECKS: readonly Check[] = [
  check('limits/rate-limit-headers', firstPage, (answer) => {
    const names = [...answer.headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name)).toSorted()
    return observe(names, `headers that tell of rate limits: ${show(names)}`, answer)
  }),
]

/** Made after all others, whose requests it is about. */
export const RATE_CHECKS: readonly Check[] = [
  check('limits/too-many-requests', rejectedForRate, (answer) =>
    answer.status < 400
      ? observe('none', 'no request came too early', answer)
      : observe(refusalOf(answer), `what came too early: ${refusalText(answer)}`, answer),
  ),
]
