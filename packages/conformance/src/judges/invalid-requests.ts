import { LIMITS, ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import { type Finding, judge, observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, itemsOf, type JsonValue } from '../json.ts'
import { each, invalidSync, specialValues } from '../scenarios/mistakes.ts'
import { jobIdIn, probeRun } from '../session/actions.ts'
import { isProviderFailure } from './error-members.ts'
import { rejectionOf, rejectionText } from './rules.ts'

/** Values of `limit` and `offset` that make no sense, by their names as rejections of the reference server. */
const BAD_PAGES = {
  limitAboveMaximum: 'limit=101',
  limitZero: 'limit=0',
  limitNegative: 'limit=-1',
  limitText: 'limit=many',
  pageFraction: 'limit=2.5',
  offsetNegative: 'offset=-1',
  offsetText: 'offset=many',
  offsetBeyondEnd: 'offset=1000000',
  pageEmpty: 'limit=',
  offsetEmpty: 'offset=',
  pageMixed: 'limit=5abc',
  categoryEmpty: 'category=',
}
const badPages = defineScenario({}, (session) =>
  each(BAD_PAGES, (query) => session.call({ path: `${ROUTES.listModels.path}?${query}`, isOpen: true })),
)

/** Bodies of JSON that are not objects, and none. */
const BODIES = { arrayBody: '[]', scalarBody: 'null', emptyBody: '' }
const otherBodies = defineScenario({ writes: true }, (session) => each(BODIES, (text) => probeRun(session, { text })))

/** Requests with values that make no sense, or of which nothing says what they mean. */
export const INVALID_REQUESTS: readonly Check[] = [
  check('models/limit-capped', badPages, ({ limitAboveMaximum: response }) => {
    const [applied, entries] = [numberAt(response, '/limit'), itemsOf(at(response.json, '/models')).length]
    const isCapped = applied !== null && applied <= LIMITS.modelsPageMax && entries <= LIMITS.modelsPageMax
    const detail = `${rejectionText(response)}, /limit is ${applied}, ${entries} models; expected an error, or ${LIMITS.modelsPageMax} at most`
    return judge(response.status >= 400 || isCapped, detail, response)
  }),
  check('models/bad-values', badPages, (responses) =>
    observeEach(responses, (response, name) => {
      const [parameter, value] = BAD_PAGES[name].split('=')
      if (response.status >= 400) return rejectionOf(response, parameter)
      // An empty filter keeps nothing, or everything.
      if (parameter === 'category') return numberAt(response, '/total') === 0 ? 'accepted' : 'default'
      return howPaged(parameter === 'limit' ? 'limit' : 'offset', Number.parseFloat(value || '0'), response)
    }),
  ),
  check('inputs/other-bodies', otherBodies, (responses) => observeEach(responses, rejectionOf)),
  check('inputs/invalid-sync', invalidSync, (responses) =>
    observeEach(responses, (response) => {
      if (!isMade(response)) return rejectionOf(response)
      return at(response.json, '/status') === 'queued' ? 'async' : 'accepted'
    }),
  ),
  check('inputs/special-values', specialValues, (responses) => observeEach(responses, howSpecial)),
  check('inputs/webhook-url-scheme', specialValues, ({ webhookScheme }) =>
    observe(howSpecial(webhookScheme, 'webhookScheme'), rejectionText(webhookScheme), webhookScheme),
  ),
]

/** The response to a page that makes no sense: the default, the value itself, or the closest that does. */
function howPaged(name: 'limit' | 'offset', asked: number, response: ApiResponse): JsonValue {
  const [applied, total] = [numberAt(response, `/${name}`), numberAt(response, '/total') ?? 0]
  const [least, most, initial] = name === 'limit' ? [1, LIMITS.modelsPageMax, LIMITS.modelsPageDefault] : [0, total, 0]
  if (applied === initial) return 'default'
  if (applied === asked) return 'asked'
  return applied === Math.min(most, Math.max(least, Math.trunc(asked))) ? 'accepted' : { applied }
}

/** Whether a run was accepted, even if it fails. */
export const isMade = (response: ApiResponse) =>
  jobIdIn(response) !== undefined || response.status < 300 || isProviderFailure(response.json)

/** A webhook that is left out does not change what the response to the run is. */
function howSpecial(response: ApiResponse, name: string): JsonValue {
  if (!isMade(response)) return rejectionOf(response)
  return /webhook/i.test(name) && at(response.json, '/status') !== 'processing' ? 'default' : 'accepted'
}

/** Several open points of one kind, each by its name. */
export function observeEach<Name extends string>(
  responses: { readonly [One in Name]?: ApiResponse },
  how: (response: ApiResponse, name: Name) => JsonValue,
): Finding {
  const all = Object.entries(responses) as [Name, ApiResponse][] // each has a name
  return observe(
    Object.fromEntries(all.map(([name, response]) => [name, how(response, name)])),
    all.map(([name, response]) => `${name}: ${rejectionText(response)}`).join('; '),
    all.map(([, response]) => response),
  )
}

export function numberAt(response: ApiResponse, pointer: string): number | null {
  const value = at(response.json, pointer)
  return typeof value === 'number' ? value : null
}
