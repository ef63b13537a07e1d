import { LIMITS, ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import { type Finding, judge, observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, itemsOf, type JsonValue } from '../json.ts'
import { invalidSync, specialValues } from '../scenarios/mistakes.ts'
import { jobIdIn, probeRun } from '../session/actions.ts'
import { isProviderFailure, rejectionOf, rejectionText } from './rules.ts'

/** Values of `limit` and `offset` that make no sense, by their names as rejections of the reference server. */
const BAD_PAGES = {
  limitAboveMaximum: ['limit', '101'],
  limitZero: ['limit', '0'],
  limitNegative: ['limit', '-1'],
  limitText: ['limit', 'many'],
  pageFraction: ['limit', '2.5'],
  offsetNegative: ['offset', '-1'],
  offsetText: ['offset', 'many'],
  offsetBeyondEnd: ['offset', '1000000'],
  pageEmpty: ['limit', ''],
  pageMixed: ['limit', '5abc'],
  categoryEmpty: ['category', ''],
} as const

const badPages = defineScenario('bad-values', {}, async (session) => {
  const send = (query: readonly string[]) =>
    session.call({ path: `${ROUTES.listModels.path}?${query.join('=')}`, isOpen: true })
  const responses = { limitAboveMaximum: await send(BAD_PAGES.limitAboveMaximum) }
  for (const [name, query] of Object.entries(BAD_PAGES).slice(1))
    Object.assign(responses, { [name]: await send(query) })
  return responses
})

export const BAD_VALUES: readonly Check[] = [
  check('models/limit-capped', badPages, ({ limitAboveMaximum: response }) => {
    const [applied, entries] = [numberAt(response, '/limit'), itemsOf(at(response.json, '/models')).length]
    const isCapped = applied !== null && applied <= LIMITS.modelsPageMax && entries <= LIMITS.modelsPageMax
    const detail = `${rejectionText(response)}, /limit is ${applied}, ${entries} models; expected an error, or ${LIMITS.modelsPageMax} at most`
    return judge(response.status >= 400 || isCapped, detail, response)
  }),
  check('models/bad-values', badPages, (responses) =>
    observeEach(responses, (response, name) => {
      if (response.status >= 400) return rejectionOf(response)
      const [parameter, value] = BAD_PAGES[name as keyof typeof BAD_PAGES] // the scenario has its names from there
      if (parameter !== 'category') return howPaged(parameter, value === '' ? 0 : Number.parseFloat(value), response)
      // An empty filter keeps nothing, or everything.
      return numberAt(response, '/total') === 0 ? 'accepted' : 'default'
    }),
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

/** Bodies of JSON that are not objects, and none. */
const otherBodies = defineScenario('other-bodies', { runs: { main: 0 } }, async (session) => ({
  arrayBody: await probeRun(session, { text: '[]' }),
  scalarBody: await probeRun(session, { text: 'null' }),
  emptyBody: await probeRun(session, { text: '' }),
}))
export const OTHER_BODIES = check('inputs/other-bodies', otherBodies, (responses) =>
  observeEach(responses, rejectionOf),
)

/** Whether a run was accepted, even if it fails. */
export const isMade = (response: ApiResponse) =>
  jobIdIn(response) !== undefined || response.status < 300 || isProviderFailure(response.json)

/** The response to a run whose `sync` is not a boolean: rejected, or what it was taken for. */
export const INVALID_SYNC = check('inputs/invalid-sync', invalidSync, (responses) =>
  observeEach(responses, (response) => {
    if (!isMade(response)) return rejectionOf(response)
    return at(response.json, '/status') === 'queued' ? 'async' : 'accepted'
  }),
)

export const SPECIAL_VALUES = check('inputs/special-values', specialValues, (responses) =>
  observeEach(responses, howSpecial),
)

/** A webhook that is left out does not change what the response to the run is. */
export function howSpecial(response: ApiResponse, name: string): JsonValue {
  if (!isMade(response)) return rejectionOf(response)
  return /webhook/i.test(name) && at(response.json, '/status') !== 'processing' ? 'default' : 'accepted'
}

/** Several open points of one kind, each by its name. */
export function observeEach(
  responses: Readonly<Record<string, ApiResponse>>,
  how: (response: ApiResponse, name: string) => JsonValue,
): Finding {
  const all = Object.entries(responses)
  return observe(
    Object.fromEntries(all.map(([name, response]) => [name, how(response, name)])),
    all.map(([name, response]) => `${name}: ${rejectionText(response)}`).join('; '),
    Object.values(responses),
  )
}

export function numberAt(response: ApiResponse, pointer: string): number | null {
  const value = at(response.json, pointer)
  return typeof value === 'number' ? value : null
}
