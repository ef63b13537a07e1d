import { type Check, check } from '../check.ts'
import { show } from '../json.ts'
import { observe } from '../judge/finding.ts'
import { firstPage } from './models-scenarios.ts'

/** What responses hold beside their bodies (section 2.4). */
export const ERRORS_CHECKS: readonly Check[] = [
  check('errors/request-id', firstPage, (response) => {
    const id = response.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, response)
  }),
]
