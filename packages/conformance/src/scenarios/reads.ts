import { LIMITS, MODEL_CATEGORIES, ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import type { ApiResponse } from '../http/caller.ts'
import { modelsOf, targetsOf } from '../plan/targets.ts'
import { namesOf } from '../session/keys.ts'
import { inTurn, type Session, type SessionCall } from '../session/session.ts'

/** Names no model and no job. */
export const UNKNOWN_ID = 'conformance-no-such-id'
/** Occurs in no name and no description. */
export const NONSENSE = 'zzqxvkjw-conformance'

type Query = Record<string, string | number | undefined>

export function listModels(session: Session, query: Query = {}, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const parameters = new URLSearchParams(given).toString()
  return session.call({ ...call, path: `${ROUTES.listModels.path}${parameters === '' ? '' : `?${parameters}`}` })
}

const MOST_PAGES = 20

/** All models, by pages of the largest size. Read before the models are chosen. */
export async function readWholeList(session: Session): Promise<void> {
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await listModels(session, { limit: LIMITS.modelsPageMax, offset: session.models.length })
    session.models.push(...modelsOf(page))
    if (modelsOf(page).length < LIMITS.modelsPageMax) return
  }
}

export const unknownModel: Scenario = {
  name: 'an unknown model',
  perform: (session) => session.call({ path: routePath(ROUTES.getModel, { id: UNKNOWN_ID }), isOpen: true }),
}

/** What is accepted shows whether the key was (section 5). */
export const keyInQuery: Scenario = {
  name: 'the key in the query',
  perform: (session) => {
    const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
    return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null, isOpen: true })
  },
}

/** A page without a query, one with a limit above the maximum, and one of what no model mentions. */
export const pages: Scenario = {
  name: 'pages',
  perform: async (session) => {
    await listModels(session)
    await listModels(session, { limit: LIMITS.modelsPageMax + 1 }, { isOpen: true })
    await listModels(session, { search: NONSENSE })
  },
}

type Models = readonly Record<string, unknown>[]

type Page = (total: number) => { limit?: number; offset?: number }

/** The first page, which shows all that a filter keeps, and others with another limit or offset. */
const WHOLE = { limit: LIMITS.modelsPageMax }
const PAGES: readonly Page[] = [
  () => ({ limit: 3, offset: 0 }),
  (total) => ({ limit: 7, offset: Math.floor(total / 2) }),
  (total) => ({ limit: 3, offset: Math.max(0, Math.floor((total - 1) / 3) * 3) }),
  () => ({}),
  (total) => ({ limit: LIMITS.modelsPageMax, offset: total }),
  () => ({ limit: 1, offset: 1 }),
  () => ({ offset: 1 }),
]

/** Categories and searches, alone and together, each with two pages. Keys that may read models take turns. */
export const lists: Scenario = {
  name: 'lists by category and search',
  perform: async (session) => {
    const { models, options } = session
    const keys = [undefined, ...namesOf(options, 'models:read')].map((name) => name && options.keys[name])
    const shared = sharedWords(models).slice(0, 2)
    const filters = [
      ...[undefined, ...shared, ...knownTexts(models)].map((search) => ({ category: undefined, search })),
      ...MODEL_CATEGORIES.flatMap((category) => [undefined, shared[0]].map((search) => ({ category, search }))),
    ]
    for (const [index, filter] of filters.entries()) {
      const total = matches(filter, models).length
      await listModels(session, { ...filter, ...WHOLE })
      await listModels(session, { ...filter, ...inTurn(PAGES, index)?.(total) }, { key: inTurn(keys, index) })
    }
  },
}

/** The models that a filter must keep: a search all that hold the string with spaces or the end of a sentence around it. */
export function matches({ category, search }: Query, models: Models) {
  const isIn = (whole: unknown) => ` ${whole} `.replaceAll(/[.,;:!?](?= )/g, '').includes(` ${search} `)
  const kept = models.filter((model) => model.category === (category ?? model.category))
  return search === undefined ? kept : kept.filter(({ name, description }) => isIn(name) || isIn(description))
}

/**
 * Strings that one model each is known to hold: its name, that of the last model of the list, and the longest word that only the
 * description of its model holds: it is rare.
 */
function knownTexts(models: Models): string[] {
  const words = models.flatMap(({ name, description }) => {
    const whole = String(description ?? '').match(/(?<!\S)\p{L}{2,}(?=[\s.,;:!?]|$)/gu) ?? []
    return whole.filter((word) => !String(name).toLowerCase().includes(word.toLowerCase()))
  })
  const names = [...models.slice(0, 1), ...models.slice(-1)].map(({ name }) => String(name))
  return [...new Set([...names, ...longestFirst(words).slice(0, 1)])]
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

const MOST_DETAILS = 8

/** Details of models from everywhere in the list. Those that are run were read before, and must be the same. */
export const details: Scenario = {
  name: 'details of models',
  perform: async ({ models, targets, options, call }) => {
    const run = targetsOf(targets).map(({ modelId }) => modelId)
    const ids = models.map(({ id }) => String(id)).filter((id) => !/^\.{0,2}$/.test(id) && !run.includes(id))
    const step = Math.max(1, Math.floor(ids.length / MOST_DETAILS))
    const spread = [...run.slice(0, 2), ...ids.filter((_, index) => index % step === 0)].slice(0, MOST_DETAILS)
    const keys = [undefined, ...namesOf(options, 'models:read')].map((name) => name && options.keys[name])
    for (const [index, id] of spread.entries())
      await call({ path: routePath(ROUTES.getModel, { id }), key: inTurn(keys, index) })
  },
}
