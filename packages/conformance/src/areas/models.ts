import { LIMITS } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { hasCount, hasStatus, hasValue, refusalOf, refusalText } from '../judge/answers.ts'
import { every, type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
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
  check('models/array', firstPage, (answer) => {
    const models = at(answer.json, '/models')
    if (Array.isArray(models) && models.length === 0) return skip(NO_MODELS, answer)
    const isRight = Array.isArray(models) && models.every(isRecord)
    return judge(isRight, `/models is ${show(models)}; expected an array of objects`, answer)
  }),
  check('models/total', firstPage, (answer) => hasCount(answer, '/total')),
  check('models/default-limit', firstPage, (answer) =>
    every([hasValue(answer, '/limit', LIMITS.modelsPageDefault), hasAtMost(answer, LIMITS.modelsPageDefault)]),
  ),
  check('models/limit-applied', onePerPage, (answer) =>
    at(answer.json, '/total') === 0
      ? skip(NO_MODELS, answer)
      : every([hasEntries(answer, 1), hasValue(answer, '/limit', 1)]),
  ),
  check('models/limit-maximum-accepted', largestPage, (answer) =>
    every([hasStatus(answer, 200), hasValue(answer, '/limit', LIMITS.modelsPageMax)]),
  ),
  check('models/limit-capped', beyondLargestPage, limitIsCapped),
  check('models/limit-above-maximum', beyondLargestPage, (answer) =>
    observe(answer.status < 400 ? 'clamp' : 'reject', refusalText(answer), answer),
  ),
  check('models/offset-echoed', secondModel, (answer) => hasValue(answer, '/offset', 1)),
  check('models/default-offset', firstPage, (answer) => {
    const offset = at(answer.json, '/offset')
    return observe(typeof offset === 'number' ? offset : null, `/offset is ${show(offset)} without a query`, answer)
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
    every([...pages].map(([category, answer]) => categoryFilter(answer, category))),
  ),
  check('models/category-total', categoryPages, (pages) => every([...pages.values()].map(totalFitsEntries))),
  check('models/unknown-category', unknownCategory, (answer) => {
    const kept = modelsOf(answer).length
    const observation = answer.status >= 400 ? 'reject' : kept === 0 ? 'empty' : 'ignored'
    return observe(observation, `${refusalText(answer)}, ${kept} models`, answer)
  }),
  check('models/search-name', searchByName, isFound),
  check('models/search-description', searchByDescription, isFound),
  check('models/search-narrows', nonsenseBesideAll, searchNarrows),
  check('models/search-nothing', searchNonsense, (answer) => {
    const found = modelsOf(answer).length
    return observe(found === 0 ? 'nothing' : 'something', `${refusalText(answer)}, ${found} models`, answer)
  }),
  check('models/search-case', searchInCapitals, ({ text, wanted, pages }) => {
    const ignoresCase = pages.flatMap(idsOf).includes(wanted)
    const detail = `${show(text)}: letter case ${ignoresCase ? 'is ignored' : 'counts'}`
    return observe(ignoresCase ? 'ignored' : 'counts', detail, pages)
  }),
  check('models/bad-values', badValues, (answers) =>
    observe(
      Object.fromEntries(answers.map(({ query, answer }) => [query, refusalOf(answer)])),
      answers.map(({ query, answer }) => `${query}: ${refusalText(answer)}`).join('; '),
      answers.map(({ answer }) => answer),
    ),
  ),
  check('models/unknown-parameter', unknownParameter, (answer) =>
    observe(refusalOf(answer), refusalText(answer), answer),
  ),
]

function hasEntries(answer: Answer, count: number): Finding {
  const entries = at(answer.json, '/models')
  const isRight = Array.isArray(entries) && entries.length === count
  return judge(isRight, `/models holds ${itemsOf(entries).length} entries; expected ${count}`, answer)
}

function hasAtMost(answer: Answer, count: number): Finding {
  const entries = itemsOf(at(answer.json, '/models')).length
  return judge(entries <= count, `/models holds ${entries} entries; expected ${count} at most`, answer)
}

/** Refused, or answered as if the maximum had been asked for. */
function limitIsCapped(answer: Answer): Finding {
  if (answer.status >= 400 && answer.status < 500) return pass(`refused with ${refusalText(answer)}`, answer)
  const applied = at(answer.json, '/limit')
  const isCapped = typeof applied === 'number' && applied <= LIMITS.modelsPageMax
  if (!isCapped) return fail(`/limit is ${show(applied)}; expected ${LIMITS.modelsPageMax} at most`, answer)
  return hasAtMost(answer, LIMITS.modelsPageMax)
}

/** A search for what no model mentions may find what comes close, but not every model: then it is ignored. */
function searchNarrows([all, found]: readonly [Answer, Answer]): Finding {
  const [total, kept] = [Number(at(all.json, '/total')), at(found.json, '/total')]
  if (!(total > FEW_MODELS)) return skip(`there are ${total} models: all of them may come close`, [all, found])
  const isRight = found.status >= 400 || (typeof kept === 'number' && kept < total)
  return judge(isRight, `a search for what no model mentions keeps ${show(kept)} of ${total} models`, [all, found])
}

function totalCountsAll({ pages, models, isWhole }: WholeList): Finding {
  if (!isWhole) return skip(`there are more than ${models.length} models`, pages)
  const totals = pages.map((page) => at(page.json, '/total'))
  const isRight = totals.every((total) => total === models.length)
  return judge(isRight, `/total is ${show(totals)}; all pages together hold ${models.length} models`, pages)
}

function categoryFilter(answer: Answer, category: string): Finding {
  if (answer.status !== 200) return fail(`status ${answer.status} for the category ${category}`, answer)
  const others = modelsOf(answer).filter((model) => model.category !== category)
  if (others.length > 0)
    return fail(`the category ${category} holds ${show(others.map(({ id }) => id))} of others`, answer)
  if (modelsOf(answer).length === 0) return skip(`there are no models of the category ${category}`, answer)
  return pass(`${modelsOf(answer).length} models, all of the category ${category}`, answer)
}

function totalFitsEntries(answer: Answer): Finding {
  const [entries, total] = [modelsOf(answer).length, at(answer.json, '/total')]
  const isRight = total === entries || (entries === LIMITS.modelsPageMax && Number(total) > entries)
  return judge(isRight, `/total is ${show(total)} where ${entries} models match`, answer)
}

function isFound({ text, wanted, pages }: Search): Finding {
  const isRight = pages.flatMap(idsOf).includes(wanted)
  return judge(isRight, `a search for ${show(text)} ${isRight ? 'finds' : 'does not find'} ${show(wanted)}`, pages)
}
