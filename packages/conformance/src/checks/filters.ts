import { LIMITS, MODEL_CATEGORIES } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { BlockedError, every, type Finding, judge, skip } from '../judge/finding.ts'
import { hasStatus, hasValue, rejectionText } from '../judge/responses.ts'
import type { Session } from '../session/session.ts'
import {
  categoryPages,
  firstPage,
  idsOf,
  largestPage,
  listModels,
  modelsOf,
  type WholeList,
  wholeList,
} from './models-scenarios.ts'

type Model = Record<string, unknown>

/** All models, and the pages of the categories. */
const listAndCategories = defineScenario(
  'list-and-categories',
  { uses: [wholeList, categoryPages] },
  async (session) => ({
    list: await session.evidence(wholeList),
    pages: await session.evidence(categoryPages),
  }),
)

/** The pages of a filter, and the models that they must hold together. */
interface FilteredPages {
  /** The filter in words. */
  filter: string
  wanted: readonly unknown[]
  pages: readonly ApiResponse[]
}

/** The smallest category with two models or more, by pages of about half of it. */
const pagesOfCategory = defineScenario('pages-of-category', { uses: [wholeList] }, async (session) => {
  const models = await allModels(session)
  const groups = MODEL_CATEGORIES.map((name) => models.filter(({ category }) => category === name))
  const sizes = groups.filter(({ length }) => length > 1 && length <= 2 * LIMITS.modelsPageMax)
  const [smallest] = sizes.toSorted((one, other) => one.length - other.length)
  if (smallest === undefined) throw new BlockedError('no category has two models')
  const category = String(smallest[0]?.category)
  const pages = await halves(session, { category }, smallest.length)
  return { filter: `the category ${category}`, wanted: smallest.map(({ id }) => id), pages }
})

/** Two pages that together hold so many models. */
async function halves(session: Session, filter: Record<string, string>, count: number): Promise<ApiResponse[]> {
  const limit = Math.ceil(count / 2)
  const pages: ApiResponse[] = []
  for (const offset of [0, limit]) pages.push(await listModels(session, { ...filter, limit, offset }))
  return pages
}

/** A search that finds two models or more, as a whole and by two pages. */
const pagesOfSearch = defineScenario('pages-of-search', { uses: [wholeList] }, async (session) => {
  const search = sharedWord(await allModels(session))
  const whole = await listModels(session, { search, limit: LIMITS.modelsPageMax })
  const found = modelsOf(whole)
  const isUsable = found.length > 1 && found.length < LIMITS.modelsPageMax
  if (!isUsable)
    throw new BlockedError(`a search for ${search} finds ${found.length} models; two or more are needed`, whole)
  const pages = await halves(session, { search }, found.length)
  return { filter: `a search for ${search}`, wanted: found.map(({ id }) => id), pages }
})

/** A search for the name of a model: without a category, in the one of that model, and in another one. */
const categoryAndSearch = defineScenario('category-and-search', { uses: [wholeList] }, async (session) => {
  const models = await allModels(session)
  const model = models.at(-1)
  const other = models.find(({ category }) => category !== model?.category)
  if (model === undefined || other === undefined) throw new BlockedError('there are no models of two categories')
  const [search, otherCategory] = [String(model.name), String(other.category)]
  return {
    model,
    anywhere: await listModels(session, { search, limit: LIMITS.modelsPageMax }),
    own: await listModels(session, { category: String(model.category), search, limit: LIMITS.modelsPageMax }),
    other: await listModels(session, { category: otherCategory, search, limit: LIMITS.modelsPageMax }),
    otherCategory,
  }
})

/** The search above, when its model is not on the first page of the list. */
const searchForLast = defineScenario('search-for-last', { uses: [categoryAndSearch, wholeList] }, async (session) => {
  const isOnFirst = (await allModels(session)).length <= LIMITS.modelsPageDefault
  if (isOnFirst) throw new BlockedError('all models are on the first page')
  return session.evidence(categoryAndSearch)
})

/** The last model of the list, asked for with a limit of 2, and what is behind it. */
const endOfList = defineScenario('end-of-list', { uses: [firstPage] }, async (session) => {
  const first = await session.evidence(firstPage)
  const total = at(first.json, '/total')
  if (typeof total !== 'number' || total < 1) throw new BlockedError('the list of models is empty', first)
  const last = await listModels(session, { limit: 2, offset: total - 1 })
  return { total, last, behind: await listModels(session, { limit: 2, offset: total }) }
})

async function allModels(session: Session): Promise<readonly Model[]> {
  const { models, isWhole, pages } = await session.evidence(wholeList)
  if (!isWhole) throw new BlockedError(`there are more than ${models.length} models`, pages)
  return models
}

/** The longest word that the names of at least two models share, and not of more than a page. */
function sharedWord(models: readonly Model[]): string {
  const counts = new Map<string, number>()
  for (const { name } of models) {
    for (const word of new Set(String(name).match(/\p{L}{3,}/gu))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const shared = [...counts].filter(([, count]) => count > 1 && count < LIMITS.modelsPageMax).map(([word]) => word)
  const [longest] = shared.toSorted((one, other) => other.length - one.length)
  if (longest === undefined) throw new BlockedError('no two models share a word of their names')
  return longest
}

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
