import { type Check, check, defineScenario } from '../check.ts'
import { show } from '../json.ts'
import { observe } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { firstPage } from './models.ts'

/** The last response 429 of the whole run of the suite, else a page that was read. */
export const rejectedForRate = defineScenario('rejected-for-rate', { uses: [firstPage] }, async (session) => {
  const page = await session.evidence(firstPage)
  return session.limited.at(-1) ?? page
})

/** Headers that the specification does not show: of limits (section 8), and of the request (section 2.4). */
export const LIMITS_CHECKS: readonly Check[] = [
  check('limits/rate-limit-headers', firstPage, (response) => {
    const names = [...response.headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name)).toSorted()
    return observe(names, `headers that show rate limits: ${show(names)}`, response)
  }),
  check('errors/request-id', firstPage, (response) => {
    const id = response.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, response)
  }),
]

/** Made after all others, whose requests it is about. */
export const RATE_CHECKS: readonly Check[] = [
  check('limits/too-many-requests', rejectedForRate, (response) =>
    response.status < 400
      ? observe('none', 'no request came too early', response)
      : observe(rejectionOf(response), `what came too early: ${rejectionText(response)}`, response),
  ),
]
