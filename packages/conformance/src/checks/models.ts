import { LIMITS } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, itemsOf, show } from '../json.ts'
import { type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
import { observeRejection, rejectionOf, rejectionText } from '../judge/responses.ts'
import {
  badValues,
  beyondLargestPage,
  firstPage,
  idsOf,
  modelsOf,
  nonsenseBesideAll,
  searchByPart,
  searchInCapitals,
  searchNonsense,
  unknownCategory,
  unknownParameter,
} from './models-scenarios.ts'

/** A search may find a few models that come close. */
const FEW_MODELS = 5

/** The list of models: shape, pages, filters (section 4.1). */
export const MODELS_CHECKS: readonly Check[] = [
  check('models/limit-capped', beyondLargestPage, limitIsCapped),
  check('models/limit-above-maximum', beyondLargestPage, (response) =>
    observe(
      response.status < 400 ? numberAt(response, '/limit') : rejectionOf(response),
      rejectionText(response),
      response,
    ),
  ),
  check('models/default-offset', firstPage, (response) => {
    const offset = at(response.json, '/offset')
    return observe(typeof offset === 'number' ? offset : null, `/offset is ${show(offset)} without a query`, response)
  }),
  check('models/unknown-category', unknownCategory, (response) => {
    const found = modelsOf(response).length
    const observation = response.status >= 400 ? rejectionOf(response) : found === 0 ? 'empty' : 'all'
    return observe(observation, `${rejectionText(response)}, ${found} models`, response)
  }),
  check('models/search-narrows', nonsenseBesideAll, searchNarrows),
  check('models/search-nothing', searchNonsense, (response) => {
    const found = modelsOf(response).length
    return observe(found === 0 ? 'nothing' : 'something', `${rejectionText(response)}, ${found} models`, response)
  }),
  check('models/search-case', searchInCapitals, ({ text, wanted, page }) => {
    const ignoresCase = idsOf(page).includes(wanted)
    const detail = `${show(text)}: letter case ${ignoresCase ? 'is ignored' : 'counts'}`
    return observe(ignoresCase ? 'ignored' : 'counts', detail, page)
  }),
  check('models/search-words', searchByPart, ({ text, wanted, page }) => {
    const isFoundByPart = idsOf(page).includes(wanted)
    const detail = `${show(text)}, a part of a word, is ${isFoundByPart ? '' : 'not '}found`
    return observe(isFoundByPart ? 'parts' : 'whole', detail, page)
  }),
  check('models/bad-values', badValues, (responses) =>
    observe(
      Object.fromEntries(responses.map(({ query, response }) => [query, invalidPage(query, response)])),
      responses.map(({ query, response }) => `${query}: ${rejectionText(response)}`).join('; '),
      responses.map(({ response }) => response),
    ),
  ),
  check('models/unknown-parameter', unknownParameter, observeRejection),
]

/** The response to a page that makes no sense: rejected, the default applied, or something else. */
function invalidPage(query: string, response: ApiResponse) {
  if (response.status >= 400) return rejectionOf(response)
  const name = query.split('=')[0] ?? ''
  const applied = numberAt(response, `/${name}`)
  return applied === (name === 'limit' ? LIMITS.modelsPageDefault : 0) ? 'default' : applied
}

function numberAt(response: ApiResponse, pointer: string): number | null {
  const value = at(response.json, pointer)
  return typeof value === 'number' ? value : null
}

function hasAtMost(response: ApiResponse, count: number): Finding {
  const entries = itemsOf(at(response.json, '/models')).length
  return judge(entries <= count, `/models holds ${entries} entries; expected ${count} at most`, response)
}

/** The limit is rejected, or replaced by the maximum. */
function limitIsCapped(response: ApiResponse): Finding {
  if (response.status >= 400 && response.status < 500) return pass(`rejected with ${rejectionText(response)}`, response)
  const applied = at(response.json, '/limit')
  const isCapped = typeof applied === 'number' && applied <= LIMITS.modelsPageMax
  if (!isCapped) return fail(`/limit is ${show(applied)}; expected ${LIMITS.modelsPageMax} at most`, response)
  return hasAtMost(response, LIMITS.modelsPageMax)
}

/** A search for what no model mentions may find what comes close, but not every model: then it is ignored. */
function searchNarrows([all, found]: readonly [ApiResponse, ApiResponse]): Finding {
  const [total, matches] = [Number(at(all.json, '/total')), at(found.json, '/total')]
  if (!(total > FEW_MODELS)) return skip(`there are ${total} models: all of them may come close`, [all, found])
  const isRight = found.status >= 400 || (typeof matches === 'number' && matches < total)
  return judge(isRight, `a search for what no model mentions matches ${show(matches)} of ${total} models`, [all, found])
}
