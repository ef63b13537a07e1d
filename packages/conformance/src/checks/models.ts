import { LIMITS, ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, itemsOf, show } from '../json.ts'
import { BlockedError, type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
import { observeRejection, rejectionOf, rejectionText } from '../judge/responses.ts'
import { listAll, modelsOf } from '../plan/whole-list.ts'
import type { Session, SessionCall } from '../session/session.ts'

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

export function idsOf(response: ApiResponse): unknown[] {
  return modelsOf(response).map(({ id }) => id)
}

/** A page with a query. */
function page(id: string, query: Record<string, string | number>): Scenario<ApiResponse> {
  return { id, perform: (session) => listModels(session, query) }
}

export const firstPage = page('first-page', {})
export const onePerPage = page('one-per-page', { limit: 1 })
const beyondLargestPage = page('beyond-largest-page', { limit: LIMITS.modelsPageMax + 1 })
const unknownCategory = page('unknown-category', { category: 'conformance-no-such-category' })
const unknownParameter = page('unknown-parameter', { conformance: 1 })
const searchNonsense = page('search-nonsense', { search: NONSENSE })

/** The first page, and a search for what no model mentions. */
const nonsenseBesideAll = both('nonsense-beside-all', firstPage, searchNonsense)

function both(id: string, one: Scenario<ApiResponse>, other: Scenario<ApiResponse>) {
  return defineScenario<readonly [ApiResponse, ApiResponse]>(id, { uses: [one, other] }, async (session) => [
    await session.evidence(one),
    await session.evidence(other),
  ])
}

/** Values of `limit` and `offset` that make no sense. */
const badValues = defineScenario('bad-values', {}, async (session) => {
  const responses = []
  for (const query of [{ limit: 0 }, { limit: 'many' }, { offset: -1 }]) {
    const [text = ''] = Object.entries(query).map(([name, value]) => `${name}=${value}`)
    responses.push({ query: text, response: await listModels(session, query) })
  }
  return responses
})

/** All models. What was read to choose some of them is not read again. */
export const wholeList = defineScenario('whole-list', {}, (session) =>
  listAll(async (path) => {
    const known = session.recorded.find((one) => one.path === path && one.key.kind === 'full')
    return known?.response ?? session.call({ path })
  }),
)

/** Texts that one model each is known to hold: its name, that of the last model of the list, and a word of a description. */
export async function knownTexts(session: Session): Promise<string[]> {
  const { models } = await session.evidence(wholeList)
  const names = [models[0], models.at(-1)].flatMap((model) => (model === undefined ? [] : [String(model.name)]))
  return [...new Set([...names, ...rareWord(models)])]
}

/** A search for each of them, and for words that names share, from the first match on and from a later one. */
export const searches = defineScenario('searches', { uses: [wholeList] }, async (session) => {
  const shared = sharedWords((await session.evidence(wholeList)).models).slice(0, 2)
  for (const search of [...(await knownTexts(session)), ...shared])
    await listModels(session, { search, limit: LIMITS.modelsPageMax })
  for (const [index, search] of shared.entries()) await listModels(session, { search, limit: 2, offset: index + 1 })
})

/** A search for a text that one model is known to hold in another way. */
interface Search {
  text: string
  wanted: unknown
  page: ApiResponse
}

const searchInCapitals = defineScenario('search-in-capitals', { uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => (otherCase(name) === name ? undefined : otherCase(name))),
)

/** A search for the middle of a word of a name. */
const searchByPart = defineScenario('search-by-part', { uses: [firstPage] }, (session) =>
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
