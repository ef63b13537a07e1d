import { LIMITS, ROUTES } from '@modelrun/contract'
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

/** Texts that one model each is known to hold: its name, that of the last model of the list, and a word of a description. */
export async function knownTexts(session: Session): Promise<string[]> {
  const { models } = await session.evidence(wholeList)
  const names = [models[0], models.at(-1)].flatMap((model) => (model === undefined ? [] : [String(model.name)]))
  return [...new Set([...names, ...rareWord(models)])]
}

/** A search for each of them. */
export const searches = defineScenario('searches', { uses: [wholeList] }, async (session) => {
  for (const text of await knownTexts(session)) await listModels(session, { search: text, limit: LIMITS.modelsPageMax })
})

/** A search for a text that one model is known to hold in another way. */
interface Search {
  text: string
  wanted: unknown
  page: ApiResponse
}

export const searchInCapitals = defineScenario('search-in-capitals', { uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => (otherCase(name) === name ? undefined : otherCase(name))),
)

/** A search for the middle of a word of a name. */
export const searchByPart = defineScenario('search-by-part', { uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => name.match(/\p{L}{4,}/u)?.[0].slice(1, -1)),
)

async function searchFirst(session: Session, textOf: (name: string) => string | undefined): Promise<Search> {
  const list = await session.evidence(firstPage)
  const [model] = modelsOf(list)
  const text = textOf(String(model?.name))
  if (model === undefined || text === undefined) throw new BlockedError('no first model has such a name', list)
  return { text, wanted: model.id, page: await listModels(session, { search: text, limit: LIMITS.modelsPageMax }) }
}

/** Of the words that only the description of their model holds, and not its name, the rarest; of those the longest. */
function rareWord(models: readonly Record<string, unknown>[]): string[] {
  const rarity = (word: string) => models.filter(({ description }) => String(description).includes(word)).length
  const candidates = models.flatMap(ownWords).map((word) => ({ word, holders: rarity(word) }))
  const [rarest] = candidates.toSorted(
    (one, other) => one.holders - other.holders || other.word.length - one.word.length,
  )
  return rarest === undefined ? [] : [rarest.word]
}

/** Whole words of the description that the name does not hold. */
function ownWords({ name, description }: Record<string, unknown>): string[] {
  const words = String(description ?? '').match(/(?<![^\s])\p{L}{2,}(?=[\s.,;:!?]|$)/gu) ?? []
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
