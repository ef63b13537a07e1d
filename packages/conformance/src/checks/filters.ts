import { LIMITS } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { every, type Finding, judge, skip } from '../judge/finding.ts'
import { hasStatus, hasValue, rejectionText } from '../judge/responses.ts'
import {
  categoryAndSearch,
  endOfList,
  type FilteredPages,
  listAndCategories,
  pagesOfCategory,
  pagesOfSearch,
  searchForLast,
} from './filters-scenarios.ts'
import { firstPage, idsOf, largestPage, modelsOf, type WholeList, wholeList } from './models-scenarios.ts'

/** Filters together, pages of filters, the end of the list (section 4.1). */
export const FILTERS_CHECKS: readonly Check[] = [
  check('models/default-page-is-full', firstPage, (response) => isFull(response, LIMITS.modelsPageDefault)),
  check('models/largest-page-is-full', largestPage, (response) => isFull(response, LIMITS.modelsPageMax)),
  check('models/no-entry-twice', wholeList, ({ pages, models }) => {
    const different = new Set(models.map(({ id }) => id)).size
    return judge(different === models.length, `${models.length} entries, ${different} different models`, pages)
  }),
  check('models/category-complete', listAndCategories, ({ list, pages }) =>
    list.isWhole ? every([...pages].map((page) => holdsCategory(list, page))) : skip('there are too many models'),
  ),
  check('models/category-pages', pagesOfCategory, pagesHoldAll),
  check('models/search-pages', pagesOfSearch, pagesHoldAll),
  check('models/search-anywhere', searchForLast, ({ model, anywhere }) =>
    judge(finds(anywhere, model), `a search for ${show(model.name)} finds ${show(idsOf(anywhere))}`, anywhere),
  ),
  check('models/category-and-search', categoryAndSearch, ({ model, anywhere, own, other, otherCategory }) => {
    const unexpected = [...outside(own, String(model.category)), ...outside(other, otherCategory)]
    const isFound = finds(own, model)
    // In the other category, a search may find what comes close.
    const more = notAmong(own, anywhere)
    const isRight = own.status === 200 && other.status === 200 && isFound && unexpected.length + more.length === 0
    const found = `${show(model.name)} is ${isFound ? '' : 'not '}found in its category`
    const detail = `${found}; of other categories: ${show(unexpected)}; not found without a category: ${show(more)}`
    return judge(isRight, detail, [anywhere, own, other])
  }),
  check('models/limit-of-last-page', endOfList, ({ last }) =>
    every([hasStatus(last, 200), hasValue(last, '/limit', 2), isFull(last, 1)]),
  ),
  check('models/behind-the-end', endOfList, ({ total, behind }) => {
    const isRejection = behind.status >= 400 && behind.status < 500
    if (isRejection) return skip(`an offset of ${total} is rejected: ${rejectionText(behind)}`, behind)
    const held = modelsOf(behind).length
    const isRight = held === 0 && at(behind.json, '/total') === total && behind.status === 200
    return judge(isRight, `offset ${total} of ${total}: status ${behind.status}, ${held} models`, behind)
  }),
]

/** Whether a model is on a page, or perhaps on a later one: the order of hits is open. */
function finds(response: ApiResponse, model: Record<string, unknown>): boolean {
  return idsOf(response).includes(model.id) || modelsOf(response).length === LIMITS.modelsPageMax
}

/** Whether a page holds as many models as it may, or all. */
function isFull(response: ApiResponse, limit: number): Finding {
  const expected = Math.min(limit, Number(at(response.json, '/total')))
  const held = modelsOf(response).length
  return judge(held === expected, `/models holds ${held} entries; expected ${expected}`, response)
}

/** Whether a page of a category holds every model of it, or is full. */
function holdsCategory({ models }: WholeList, [category, page]: readonly [string, ApiResponse]): Finding {
  const listed = models.filter((model) => model.category === category).map(({ id }) => id)
  const held = idsOf(page)
  const missing = listed.filter((id) => !held.includes(id))
  const isRight = missing.length === 0 || held.length === LIMITS.modelsPageMax
  return judge(isRight, `the category ${category} leaves out ${show(missing)}`, page)
}

function pagesHoldAll({ filter, wanted, pages }: FilteredPages): Finding {
  const held = pages.flatMap(idsOf)
  const isWhole = held.length === wanted.length && wanted.every((id) => held.includes(id))
  const totals = pages.map((page) => at(page.json, '/total'))
  const isRight = isWhole && totals.every((total) => total === wanted.length)
  return judge(
    isRight,
    `two pages of ${filter} hold ${held.length} models of ${wanted.length}; total ${show(totals)}`,
    pages,
  )
}

function outside(response: ApiResponse, category: string): unknown[] {
  return modelsOf(response)
    .filter((model) => model.category !== category)
    .map(({ id }) => id)
}

/** What a page holds beyond another one, which may be cut. */
function notAmong(response: ApiResponse, whole: ApiResponse): unknown[] {
  const known = idsOf(whole)
  return known.length < LIMITS.modelsPageMax ? idsOf(response).filter((id) => !known.includes(id)) : []
}
