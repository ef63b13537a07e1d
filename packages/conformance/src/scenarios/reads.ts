import { LIMITS, MODEL_CATEGORIES, ROUTES, routePath } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
import { BlockedError } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { crossed } from '../plan/crossing.ts'
import { listAll, modelsOf, targetsOf } from '../plan/targets.ts'
import { namesOf, otherCase } from '../session/keys.ts'
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
export function page(query: Query): Scenario<ApiResponse> {
  return { perform: (session) => listModels(session, query) }
}

export const firstPage = page({})
export const searchNonsense = page({ search: NONSENSE })

export const unknownModel = defineScenario({}, (session) =>
  session.call({ path: routePath(ROUTES.getModel, { id: UNKNOWN_ID }), isOpen: true }),
)

/** Paths and methods that the specification does not name: what they do is open, but not the form of an error (section 7). */
export const unknownRoutes = defineScenario({}, async (session) => {
  const { allowRuns, keys } = session.options
  const { path } = ROUTES.listModels
  const withSlash = await session.call({ path: `${path}/`, isOpen: true })
  if (!allowRuns) return { withSlash }
  const key = keys['read-only']
  return { withSlash, posted: await session.call({ method: 'POST', path, key, body: {}, isOpen: true }) }
})

/** All models. What was read to choose some of them is not read again. */
export const wholeList = defineScenario({}, (session) =>
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
export const searches = defineScenario({ uses: [wholeList] }, async (session) => {
  const models = await session.evidence(wholeList)
  const shared = sharedWords(models).slice(0, 2)
  const keys = [undefined, ...namesOf(session.options, 'models:read')].map((name) => name && session.options.keys[name])
  for (const [index, search] of [...knownTexts(models), ...shared].entries())
    await listModels(session, { search, limit: LIMITS.modelsPageMax }, { key: keys[index % keys.length] })
})

export const searchInCapitals = defineScenario({ uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => (otherCase(name) === name ? undefined : otherCase(name))),
)

/** A search for the middle of a word of a name. */
export const searchByPart = defineScenario({ uses: [firstPage] }, (session) =>
  searchFirst(session, (name) => name.match(/\p{L}{4,}/u)?.[0].slice(1, -1)),
)

/** A search for a text that one model is known to hold in another way. */
async function searchFirst(session: Session, textOf: (name: string) => string | undefined) {
  const [model] = modelsOf(await session.evidence(firstPage))
  const text = textOf(String(model?.name))
  if (model === undefined || text === undefined) throw new BlockedError('no first model has such a name')
  return { text, wanted: model.id, page: await listModels(session, { search: text, limit: LIMITS.modelsPageMax }) }
}

/** Of the words that only the description of their model holds, and not its name, the longest: it is rare. */
function rareWord(models: Models): string[] {
  const words = models.flatMap(({ name, description }) => {
    const whole = String(description ?? '').match(/(?<!\S)\p{L}{2,}(?=[\s.,;:!?]|$)/gu) ?? []
    return whole.filter((word) => !String(name).toLowerCase().includes(word.toLowerCase()))
  })
  return longestFirst(words).slice(0, 1)
}

/** Whole words that the names of at least two models share, and not of more than a page; the longest first. */
function sharedWords(models: Models): string[] {
  const words = models.flatMap(({ name }) => [...new Set(String(name).match(/(?<!\S)\p{L}{3,}(?!\S)/gu))])
  const count = (word: string) => words.filter((one) => one === word).length
  return longestFirst([...new Set(words)].filter((word) => count(word) > 1 && count(word) < LIMITS.modelsPageMax))
}

function longestFirst(words: readonly string[]): string[] {
  return words.toSorted((one, other) => other.length - one.length)
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
export const crossedReads = defineScenario({ uses: [wholeList] }, async (session) => {
  const models = await session.evidence(wholeList)
  const { seed, depth, keys } = session.options
  const names = [undefined, undefined, ...namesOf(session.options, 'models:read')]
  const lists = crossed(
    {
      category: [undefined, ...MODEL_CATEGORIES],
      search: [undefined, undefined, ...knownTexts(models).slice(2), ...sharedWords(models).slice(0, 2)],
      limit: [undefined, 1, 3, 7, LIMITS.modelsPageMax],
      place: Object.keys(PLACES) as (keyof typeof PLACES)[], // the keys of the constant
      key: names,
    },
    {
      seed,
      most: depth * MOST_LISTS,
      // A last page is one of several.
      isPossible: ({ limit, place }) => place !== 'last page' || (limit !== undefined && limit < 10),
    },
  )
  for (const { key, place, category, search, limit } of lists) {
    const matches = models.filter(
      (one) => one.category === (category ?? one.category) && `${one.name}`.includes(search ?? ''),
    )
    const offset = PLACES[place](matches.length, limit ?? LIMITS.modelsPageDefault)
    await unlessBlocked(() => listModels(session, { category, search, limit, offset }, { key: key && keys[key] }))
  }
  const ids = detailedOf(models, session)
  if (ids.length === 0) return
  for (const { id, key } of crossed({ id: ids, key: names }, { seed, most: depth * MOST_DETAILS }))
    await unlessBlocked(() => session.call({ path: routePath(ROUTES.getModel, { id }), key: key && keys[key] }))
})

/** Models whose details are read: those that are not run, of different categories and from everywhere in the list, before others. */
function detailedOf(models: Models, { targets, options }: Session): string[] {
  const run = targetsOf(targets).map(({ modelId }) => modelId)
  const usable = models.filter(({ id }) => typeof id === 'string' && !/^\.{0,2}$/.test(id))
  const others = usable.filter(({ id }) => !run.includes(String(id)))
  const firsts = others.filter((model, index) => index === others.findIndex((one) => one.category === model.category))
  const most = options.depth * MOST_MODELS
  const step = Math.max(1, Math.floor(others.length / most))
  const spread = others.filter((_, index) => index % step === Math.abs(options.seed) % step)
  const ids = [...firsts.slice(0, most / 2), ...spread].map((model) => String(model.id))
  return [...new Set([...ids, ...run])].slice(0, most)
}
