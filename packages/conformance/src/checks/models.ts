import { LIMITS } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { every, type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
import { hasCount, hasStatus, hasValue, observeRejection, rejectionOf, rejectionText } from '../judge/responses.ts'
import {
  badValues,
  beyondLargestPage,
  categoryPages,
  firstPage,
  idsOf,
  largestPage,
  modelsOf,
  nonsenseBesideAll,
  onePerPage,
  pagesOfTwoSizes,
  type Search,
  searchByDescription,
  searchByName,
  searchByPart,
  searchInCapitals,
  searchNonsense,
  secondModel,
  thirds,
  unknownCategory,
  unknownParameter,
  type WholeList,
  wholeList,
} from './models-scenarios.ts'

const NO_MODELS = 'there are no models'
/** A search may find a few models that come close. */
const FEW_MODELS = 5

/** The list of models: shape, pages, filters (section 4.1). */
export const MODELS_CHECKS: readonly Check[] = [
  check('models/array', firstPage, (response) => {
    const models = at(response.json, '/models')
    if (Array.isArray(models) && models.length === 0) return skip(NO_MODELS, response)
    const isRight = Array.isArray(models) && models.every(isRecord)
    return judge(isRight, `/models is ${show(models)}; expected an array of objects`, response)
  }),
  check('models/total', firstPage, (response) => hasCount(response, '/total')),
  check('models/default-limit', firstPage, (response) =>
    every([hasValue(response, '/limit', LIMITS.modelsPageDefault), hasAtMost(response, LIMITS.modelsPageDefault)]),
  ),
  check('models/limit-applied', onePerPage, (response) =>
    at(response.json, '/total') === 0
      ? skip(NO_MODELS, response)
      : every([hasEntries(response, 1), hasValue(response, '/limit', 1)]),
  ),
  check('models/limit-maximum-accepted', largestPage, (response) =>
    every([hasStatus(response, 200), hasValue(response, '/limit', LIMITS.modelsPageMax)]),
  ),
  check('models/limit-capped', beyondLargestPage, limitIsCapped),
  check('models/limit-above-maximum', beyondLargestPage, (response) =>
    observe(
      response.status < 400 ? numberAt(response, '/limit') : rejectionOf(response),
      rejectionText(response),
      response,
    ),
  ),
  check('models/offset-echoed', secondModel, (response) => hasValue(response, '/offset', 1)),
  check('models/default-offset', firstPage, (response) => {
    const offset = at(response.json, '/offset')
    return observe(typeof offset === 'number' ? offset : null, `/offset is ${show(offset)} without a query`, response)
  }),
  check('models/pages-complete', thirds, ({ total, pages }) => {
    if (total === 0) return skip(NO_MODELS, pages)
    const ids = pages.flatMap(idsOf)
    const different = new Set(ids).size
    const isRight = different === ids.length && different === total
    return judge(isRight, `three pages hold ${ids.length} models, ${different} different; expected ${total}`, pages)
  }),
  check('models/total-is-of-matches', pagesOfTwoSizes, ([large, small]) => {
    const [total, narrow] = [at(large.json, '/total'), at(small.json, '/total')]
    if (modelsOf(large).length < 2) return skip('there are less than two models', [large, small])
    return judge(total === narrow, `/total is ${show(narrow)} with limit 1 and ${show(total)} without`, [large, small])
  }),
  check('models/total-counts-all', wholeList, totalCountsAll),
  check('models/category', categoryPages, (pages) =>
    every([...pages].map(([category, response]) => categoryFilter(response, category))),
  ),
  check('models/category-total', categoryPages, (pages) => every([...pages.values()].map(totalFitsEntries))),
  check('models/unknown-category', unknownCategory, (response) => {
    const found = modelsOf(response).length
    const observation = response.status >= 400 ? rejectionOf(response) : found === 0 ? 'empty' : 'all'
    return observe(observation, `${rejectionText(response)}, ${found} models`, response)
  }),
  check('models/search-name', searchByName, isFound),
  check('models/search-description', searchByDescription, isFound),
  check('models/search-narrows', nonsenseBesideAll, searchNarrows),
  check('models/search-nothing', searchNonsense, (response) => {
    const found = modelsOf(response).length
    return observe(found === 0 ? 'nothing' : 'something', `${rejectionText(response)}, ${found} models`, response)
  }),
  check('models/search-case', searchInCapitals, ({ text, wanted, pages }) => {
    const ignoresCase = pages.flatMap(idsOf).includes(wanted)
    const detail = `${show(text)}: letter case ${ignoresCase ? 'is ignored' : 'counts'}`
    return observe(ignoresCase ? 'ignored' : 'counts', detail, pages)
  }),
  check('models/search-words', searchByPart, ({ text, wanted, pages }) => {
    const isFoundByPart = pages.flatMap(idsOf).includes(wanted)
    const detail = `${show(text)}, a part of a word, is ${isFoundByPart ? '' : 'not '}found`
    return observe(isFoundByPart ? 'parts' : 'whole', detail, pages)
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

function hasEntries(response: ApiResponse, count: number): Finding {
  const entries = at(response.json, '/models')
  const isRight = Array.isArray(entries) && entries.length === count
  return judge(isRight, `/models holds ${itemsOf(entries).length} entries; expected ${count}`, response)
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

function totalCountsAll({ pages, models, isWhole }: WholeList): Finding {
  if (!isWhole) return skip(`there are more than ${models.length} models`, pages)
  const totals = pages.map((page) => at(page.json, '/total'))
  const isRight = totals.every((total) => total === models.length)
  return judge(isRight, `/total is ${show(totals)}; all pages together hold ${models.length} models`, pages)
}

function categoryFilter(response: ApiResponse, category: string): Finding {
  if (response.status !== 200) return fail(`status ${response.status} for the category ${category}`, response)
  const others = modelsOf(response).filter((model) => model.category !== category)
  if (others.length > 0)
    return fail(`the category ${category} holds ${show(others.map(({ id }) => id))} of others`, response)
  if (modelsOf(response).length === 0) return skip(`there are no models of the category ${category}`, response)
  return pass(`${modelsOf(response).length} models, all of the category ${category}`, response)
}

function totalFitsEntries(response: ApiResponse): Finding {
  const [entries, total] = [modelsOf(response).length, at(response.json, '/total')]
  const isRight = total === entries || (entries === LIMITS.modelsPageMax && Number(total) > entries)
  return judge(isRight, `/total is ${show(total)} where ${entries} models match`, response)
}

function isFound({ text, wanted, pages }: Search): Finding {
  const isRight = pages.flatMap(idsOf).includes(wanted)
  return judge(isRight, `a search for ${show(text)} ${isRight ? 'finds' : 'does not find'} ${show(wanted)}`, pages)
}
