import { LIMITS, MODEL_CATEGORIES } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Session } from '../session/session.ts'
import { categoryPages, firstPage, listModels, modelsOf, wholeList } from './models-scenarios.ts'

type Model = Record<string, unknown>

/** All models, and the pages of the categories. */
export const listAndCategories = defineScenario(
  'list-and-categories',
  { uses: [wholeList, categoryPages] },
  async (session) => ({
    list: await session.evidence(wholeList),
    pages: await session.evidence(categoryPages),
  }),
)

/** The pages of a filter, and the models that they must hold together. */
export interface FilteredPages {
  /** The filter in words. */
  filter: string
  wanted: readonly unknown[]
  pages: readonly ApiResponse[]
}

/** The smallest category with two models or more, by pages of about half of it. */
export const pagesOfCategory = defineScenario('pages-of-category', { uses: [wholeList] }, async (session) => {
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
export const pagesOfSearch = defineScenario('pages-of-search', { uses: [wholeList] }, async (session) => {
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
export interface CategorySearch {
  model: Model
  anywhere: ApiResponse
  own: ApiResponse
  other: ApiResponse
  otherCategory: string
}

export const categoryAndSearch = defineScenario('category-and-search', { uses: [wholeList] }, async (session) => {
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
export const searchForLast = defineScenario(
  'search-for-last',
  { uses: [categoryAndSearch, wholeList] },
  async (session) => {
    const isOnFirst = (await allModels(session)).length <= LIMITS.modelsPageDefault
    if (isOnFirst) throw new BlockedError('all models are on the first page')
    return session.evidence(categoryAndSearch)
  },
)

/** The last model of the list, asked for with a limit of 2, and what is behind it. */
export const endOfList = defineScenario('end-of-list', { uses: [firstPage] }, async (session) => {
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
