import { LIMITS, MODEL_CATEGORIES, ROUTES, routePath } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
import { BlockedError } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { crossed } from '../plan/crossing.ts'
import { listAll, modelsOf, targetsOf } from '../plan/targets.ts'
import { namesOf } from '../session/keys.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { UNKNOWN_ID, unlessBlocked } from './runs.ts'

/** Occurs in no name and no description. */
export const NONSENSE = 'zzqxvkjw-conformance'

type Query = Record<string, string | number | undefined>

/** A page of the list of models, by its query. */
export function listModels(session: Session, query: Query = {}, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const text = new URLSearchParams(given).toString()
  return session.call({ ...call, path: `${ROUTES.listModels.path}${text === '' ? '' : `?${text}`}` })
}

/** A page with a query. */
export function page(id: string, query: Query): Scenario<ApiResponse> {
  return { id, perform: (session) => listModels(session, query) }
}

export const firstPage = page('first-page', {})
export const onePerPage = page('one-per-page', { limit: 1 })
export const searchNonsense = page('search-nonsense', { search: NONSENSE })

export const unknownModel = defineScenario('unknown-model', {}, (session) =>
  session.call({ path: routePath(ROUTES.getModel, { id: UNKNOWN_ID }), isOpen: true }),
)

/** Paths and methods that the specification does not name: what they do is open, but not the form of an error (section 7). */
export const unknownRoutes = defineScenario('unknown-routes', {}, async (session) => {
  const { allowRuns, keys } = session.options
  const { path } = ROUTES.listModels
  const withSlash = await session.call({ path: `${path}/`, isOpen: true })
  if (!allowRuns) return { withSlash }
  const key = keys['read-only']
  return { withSlash, posted: await session.call({ method: 'POST', path, key, body: {}, isOpen: true }) }
})

/** All models. What was read to choose some of them is not read again. */
export const wholeList = defineScenario('whole-list', {}, (session) =>
  listAll(async (path) => {
    const known = session.recorded.find((one) => one.path === path && one.key.kind === 'full')
    return known?.response ?? session.call({ path })
  }),
)

type Models = readonly Record<string, unknown>[]

/** Texts that one model each is known to hold: its name, that of the last model of the list, and a word of a description. */
function knownTexts(models: Models): string[] {
  const names = [models[0], models.at(-1)].flatMap((model) => (model === undefined ? [] : [String(model.name)]))
  return [...new Set([...names, ...rareWord(models)])]
}

/** A search for each of them, and for words that names share. */
export const searches = defineScenario('searches', { uses: [wholeList] }, async (session) => {
  const models = await session.evidence(wholeList)
  const shared = sharedWords(models).slice(0, 2)
  for (const search of [...knownTexts(models), ...shared])
    await listModels(session, { search, limit: LIMITS.modelsPageMax })
})

/** A search for a text that one model is known to hold in another way. */
export type Search = Awaited<ReturnType<typeof searchFirst>>

export const searchInCapitals = defineScenario('search-in-capitals', { uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => (otherCase(name) === name ? undefined : otherCase(name))),
)

/** A search for the middle of a word of a name. */
export const searchByPart = defineScenario('search-by-part', { uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => name.match(/\p{L}{4,}/u)?.[0].slice(1, -1)),
)

async function searchFirst(session: Session, textOf: (name: string) => string | undefined) {
  const list = await session.evidence(firstPage)
  const [model] = modelsOf(list)
  const text = textOf(String(model?.name))
  if (model === undefined || text === undefined) throw new BlockedError('no first model has such a name', list)
  return { text, wanted: model.id, page: await listModels(session, { search: text, limit: LIMITS.modelsPageMax }) }
}

/** Of the words that only the description of their model holds, and not its name, the rarest; of those the longest. */
function rareWord(models: Models): string[] {
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
function sharedWords(models: Models): string[] {
  const counts = new Map<string, number>()
  for (const { name } of models) {
    for (const word of new Set(String(name).match(/(?<!\S)\p{L}{3,}(?!\S)/gu)))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const shared = [...counts].filter(([, count]) => count > 1 && count < LIMITS.modelsPageMax).map(([word]) => word)
  return shared.toSorted((one, other) => other.length - one.length)
}

const MOST_LISTS = 25
const MOST_MODELS = 8
const MOST_DETAILS = 5

/** Where a page starts. */
const PLACES = {
  unsaid: () => undefined,
  start: () => 0,
  second: (total) => Math.min(1, total),
  middle: (total) => Math.floor(total / 2),
  'last page': (total, limit) => Math.max(0, Math.floor((total - 1) / limit) * limit),
  end: (total) => total,
} as const satisfies Record<string, (total: number, limit: number) => number | undefined>

/** Lists in which filters, page and key meet, and details with the same keys. Reads are free. */
export const crossedReads = defineScenario('crossed-reads', { uses: [wholeList] }, async (session) => {
  const models = await session.evidence(wholeList)
  const { seed, keys } = session.options
  const names = [undefined, undefined, ...namesOf(session.options, 'models:read')]
  const lists = crossed(
    {
      category: [undefined, ...MODEL_CATEGORIES],
      search: [undefined, undefined, ...knownTexts(models).slice(1, 2), ...sharedWords(models).slice(0, 2)],
      limit: [undefined, 1, 3, 7, LIMITS.modelsPageMax],
      place: Object.keys(PLACES) as (keyof typeof PLACES)[], // the keys of the constant
      key: names,
    },
    {
      seed,
      most: MOST_LISTS,
      // A last page is one of several.
      isPossible: ({ limit, place }) => place !== 'last page' || (limit !== undefined && limit < 10),
    },
  )
  for (const { key, place, category, search, limit } of lists) {
    const matches = models.filter(
      (model) =>
        model.category === (category ?? model.category) &&
        (search === undefined || String(model.name).includes(search)),
    )
    const offset = PLACES[place](matches.length, limit ?? LIMITS.modelsPageDefault)
    await unlessBlocked(() => listModels(session, { category, search, limit, offset }, { key: key && keys[key] }))
  }
  const ids = detailedOf(models, session)
  if (ids.length === 0) return
  for (const { id, key } of crossed({ id: ids, key: names }, { seed, most: MOST_DETAILS }))
    await unlessBlocked(() => session.call({ path: routePath(ROUTES.getModel, { id }), key: key && keys[key] }))
})

/** Models whose details are read: those that are not run, of different categories and from everywhere in the list, before others. */
function detailedOf(models: Models, { targets, options }: Session): string[] {
  const run = targetsOf(targets).map(({ modelId }) => modelId)
  const usable = models.filter(({ id }) => typeof id === 'string' && !/^\.{0,2}$/.test(id))
  const others = usable.filter(({ id }) => !run.includes(String(id)))
  const firsts = others.filter((model, index) => index === others.findIndex((one) => one.category === model.category))
  const step = Math.max(1, Math.floor(others.length / MOST_MODELS))
  const spread = others.filter((_, index) => index % step === Math.abs(options.seed) % step)
  const ids = [...firsts.slice(0, MOST_MODELS / 2), ...spread].map((model) => String(model.id))
  return [...new Set([...ids, ...run])].slice(0, MOST_MODELS)
}
