import { LIMITS, MODEL_CATEGORIES, ROUTES } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Session, SessionCall } from '../session/session.ts'

const MAX_PAGES = 20
/** Occurs in no name and no description. */
const NONSENSE = 'zzqxvkjw-conformance'

/** A page of the list of models, by its query. */
export function listModels(
  session: Session,
  query: Record<string, string | number> = {},
  call: Partial<SessionCall> = {},
): Promise<ApiResponse> {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  return session.call({ ...call, path: `${ROUTES.listModels.path}${text === '' ? '' : `?${text}`}` })
}

/** The entries of a page. */
export function modelsOf(response: ApiResponse): readonly Record<string, unknown>[] {
  return itemsOf(at(response.json, '/models')).filter(isRecord)
}

export function idsOf(response: ApiResponse): unknown[] {
  return modelsOf(response).map(({ id }) => id)
}

/** A page with a query. */
function page(id: string, query: Record<string, string | number>): Scenario<ApiResponse> {
  return { id, perform: (session) => listModels(session, query) }
}

export const firstPage = page('first-page', {})
export const onePerPage = page('one-per-page', { limit: 1 })
export const beyondLargestPage = page('beyond-largest-page', { limit: LIMITS.modelsPageMax + 1 })
export const unknownCategory = page('unknown-category', { category: 'conformance-no-such-category' })
export const unknownParameter = page('unknown-parameter', { conformance: 1 })
export const searchNonsense = page('search-nonsense', { search: NONSENSE })

/** The first page, and a search for what no model mentions. */
export const nonsenseBesideAll = both('nonsense-beside-all', firstPage, searchNonsense)

function both(id: string, one: Scenario<ApiResponse>, other: Scenario<ApiResponse>) {
  return defineScenario<readonly [ApiResponse, ApiResponse]>(id, { uses: [one, other] }, async (session) => [
    await session.evidence(one),
    await session.evidence(other),
  ])
}

/** Values of `limit` and `offset` that make no sense. */
export const badValues = defineScenario('bad-values', {}, async (session) => {
  const responses = []
  for (const query of [{ limit: 0 }, { limit: 'many' }, { offset: -1 }]) {
    const [text = ''] = Object.entries(query).map(([name, value]) => `${name}=${value}`)
    responses.push({ query: text, response: await listModels(session, query) })
  }
  return responses
})

/** All models, by pages of the largest size. */
export const wholeList = defineScenario('whole-list', {}, async (session) => {
  const pages: ApiResponse[] = []
  const models: Record<string, unknown>[] = []
  while (pages.length < MAX_PAGES) {
    const response = await listModels(session, { limit: LIMITS.modelsPageMax, offset: models.length })
    pages.push(response)
    const more = modelsOf(response)
    models.push(...more)
    if (more.length < LIMITS.modelsPageMax) return { pages, models, isWhole: true }
  }
  return { pages, models, isWhole: false }
})

/** Each category of section 2.2 as a filter. */
export const categoryPages = defineScenario('category-pages', {}, async (session) => {
  const pages = new Map<string, ApiResponse>()
  for (const category of MODEL_CATEGORIES) {
    pages.set(category, await listModels(session, { category }))
  }
  return pages
})

/** A search for something that one model is known to hold. */
export interface Search {
  text: string
  /** Id of the model that must be found. */
  wanted: unknown
  /** All that was found, page by page: the specification names no order. */
  pages: readonly ApiResponse[]
}

export const searchByName = defineScenario('search-by-name', { uses: [firstPage] }, async (session) =>
  search(session, await firstModel(session), ({ name }) => String(name)),
)

export const searchByDescription = defineScenario('search-by-description', { uses: [firstPage] }, async (session) => {
  const list = await session.evidence(firstPage)
  const described = describedModel(modelsOf(list))
  if (described === undefined) throw new BlockedError('no listed model has a description with a word of its own', list)
  return search(session, described.model, () => described.word)
})

export const searchInCapitals = defineScenario('search-in-capitals', { uses: [firstPage] }, async (session) => {
  const model = await firstModel(session)
  const name = String(model.name)
  if (otherCase(name) === name) throw new BlockedError('the name of the first model has no letters of two cases')
  return search(session, model, () => otherCase(name))
})

/** A search for the middle of a word of a name. */
export const searchByPart = defineScenario('search-by-part', { uses: [firstPage] }, async (session) => {
  const model = await firstModel(session)
  const word = String(model.name).match(/\p{L}{4,}/u)?.[0]
  if (word === undefined) throw new BlockedError('the name of the first model has no word of four letters')
  return search(session, model, () => word.slice(1, -1))
})

async function firstModel(session: Session): Promise<Record<string, unknown>> {
  const list = await session.evidence(firstPage)
  const model = modelsOf(list)[0]
  if (model === undefined) throw new BlockedError('the list of models is empty', list)
  return model
}

async function search(
  session: Session,
  model: Record<string, unknown>,
  textOf: (model: Record<string, unknown>) => string,
): Promise<Search> {
  const [text, wanted] = [textOf(model), model.id]
  const pages: ApiResponse[] = []
  for (let offset = 0; pages.length < MAX_PAGES; offset += LIMITS.modelsPageMax) {
    const response = await listModels(session, { search: text, limit: LIMITS.modelsPageMax, offset })
    pages.push(response)
    if (idsOf(response).includes(wanted) || modelsOf(response).length < LIMITS.modelsPageMax) break
  }
  return { text, wanted, pages }
}

/**
 * A model with a word that only its description holds. Of all such words the rarest among the models, which finds the
 * fewest; of those the longest.
 */
function describedModel(models: readonly Record<string, unknown>[]) {
  const candidates = models.flatMap((model) => ownWords(model).map((word) => ({ model, word })))
  const rarity = ({ word }: { word: string }) =>
    models.filter((model) => String(model.description).includes(word)).length
  return candidates
    .map((candidate) => ({ ...candidate, holders: rarity(candidate) }))
    .toSorted((one, other) => one.holders - other.holders || other.word.length - one.word.length)[0]
}

/** Whole words of the description that the name does not hold. */
function ownWords({ name, description }: Record<string, unknown>): string[] {
  if (typeof description !== 'string') return []
  const words = description.match(/(?<![^\s])\p{L}{2,}(?=[\s.,;:!?]|$)/gu) ?? []
  const inName = String(name).toLowerCase()
  return [...new Set(words)].filter((word) => !inName.includes(word.toLowerCase()))
}

function otherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
}

/** Whole words that the names of at least two models share, and not of more than a page; the longest first. */
export function sharedWords(models: readonly Record<string, unknown>[]): string[] {
  const counts = new Map<string, number>()
  for (const { name } of models) {
    for (const word of new Set(String(name).match(/(?<!\S)\p{L}{3,}(?!\S)/gu)))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const shared = [...counts].filter(([, count]) => count > 1 && count < LIMITS.modelsPageMax).map(([word]) => word)
  return shared.toSorted((one, other) => other.length - one.length)
}
