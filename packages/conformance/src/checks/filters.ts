import { LIMITS } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { show } from '../json.ts'
import { BlockedError, judge } from '../judge/finding.ts'
import type { Session } from '../session/session.ts'
import { idsOf, listModels, modelsOf, sharedWords, wholeList } from './models-scenarios.ts'

type Model = Record<string, unknown>

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

/** The last model of the list and what is behind it, and two pages that hold all hits of a search. */
export const edgesOfLists = defineScenario('edges-of-lists', { uses: [wholeList] }, async (session) => {
  const models = await allModels(session)
  await listModels(session, { limit: 2, offset: Math.max(0, models.length - 1) })
  await listModels(session, { limit: 2, offset: models.length })
  const [word] = sharedWords(models)
  if (word === undefined) return
  const whole = await listModels(session, { search: word, limit: LIMITS.modelsPageMax })
  const limit = Math.max(1, Math.ceil(modelsOf(whole).length / 2))
  for (const offset of [0, limit]) await listModels(session, { search: word, limit, offset })
})

async function allModels(session: Session): Promise<readonly Model[]> {
  const { models, isWhole, pages } = await session.evidence(wholeList)
  if (!isWhole) throw new BlockedError(`there are more than ${models.length} models`, pages)
  return models
}

/** Filters together (section 4.1). */
export const FILTERS_CHECKS: readonly Check[] = [
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
]

/** Whether a model is on a page, or perhaps on a later one: the order of hits is open. */
function finds(response: ApiResponse, model: Record<string, unknown>): boolean {
  return idsOf(response).includes(model.id) || modelsOf(response).length === LIMITS.modelsPageMax
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
