import { type Check, check } from '../check.ts'
import { show } from '../json.ts'
import { observe } from '../judge/finding.ts'
import { firstPage } from './models-scenarios.ts'

/** Limits that the specification does not show (section 8). */
export const LIMITS_CHECKS: readonly Check[] = [
  check('limits/rate-limit-headers', firstPage, (answer) => {
    const names = [...answer.headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name)).toSorted()
    return observe(names, `headers that tell of rate limits: ${show(names)}`, answer)
  }),
]
