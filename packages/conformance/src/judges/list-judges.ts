import { LIMITS } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { every, type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, groupBy, isRecord, itemsOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { lists, NONSENSE, pages } from '../scenarios/reads.ts'
import type { ListCall } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-world.ts'
import { hasFields } from './model-judges.ts'
import { count, hasStatus, holds, objects, oneOf, rejectionText } from './rules.ts'
import { idsOf, isUnfiltered, type World } from './world.ts'

const LISTS: Source<ListCall> = { from: [pages, lists], pick: (world) => world.lists, nothing: 'no list was returned' }
/** The list of all models is read before everything else. */
const ASKED: Source<ListCall> = { ...LISTS, pick: ({ askedLists }) => askedLists.filter(isNotBeyond) }
const ENTRIES: Source<{ entry: unknown; list: ApiResponse }> = {
  ...LISTS,
  pick: (world) =>
    world.lists.flatMap(({ response }) =>
      itemsOf(at(response.json, '/models')).map((entry) => ({ entry, list: response })),
    ),
  nothing: 'there are no models',
}
const withCategory = only(LISTS, ({ query }) => query.category !== undefined, 'no list has a category')
const SEARCHES: Source<SearchGroup> = {
  ...LISTS,
  pick: (world) => searchGroups(world.lists),
  nothing: 'nothing was searched',
}
/** Lists with a total that can be counted with. One without fails another check. */
const COUNTED = only(LISTS, ({ response }) => count[0](at(response.json, '/total')))
const ABOVE_MAXIMUM: Source<ApiResponse> = {
  from: [pages],
  pick: ({ calls }) =>
    calls.filter(({ path }) => path.endsWith(`?limit=${LIMITS.modelsPageMax + 1}`)).map(({ response }) => response),
  nothing: 'no such limit was sent',
}

/** Every list (section 4.1). */
export const LIST_JUDGES: readonly Check[] = [
  judgeAll('models/every-list', ASKED, (all) => {
    const initial = at(all.find(({ query }) => query.offset === undefined)?.response.json, '/offset')
    return every(all.flatMap((list) => isWholeList(list, initial)))
  }),
  judgeEvery('models/limit-capped', ABOVE_MAXIMUM, isCapped),
  judgeEvery('models/every-page-is-full', COUNTED, isFull),
  judgeEvery('models/every-entry', ENTRIES, ({ entry, list }) => [
    ...hasFields(entry, list),
    judge(!isRecord(entry) || !Object.hasOwn(entry, 'input_schema'), 'an entry of the list has an input_schema', list),
  ]),
  judgeEvery('models/category', withCategory, ({ query, response }) => {
    const others = modelsOf(response).filter(({ category }) => category !== query.category)
    const detail = `the list of ${query.category} holds models of other categories: ${show(others.map(({ id }) => id))}`
    return judge(others.length === 0, detail, response)
  }),
  judgeEvery('models/search', SEARCHES, findsAll),
  judgeAll('models/no-entry-twice', LISTS, placesAgree),
  judgeAll('models/every-total', COUNTED, totalsAgree),
  judgeAll('models/total-counts-all', COUNTED, totalCountsAll),
  judgeEvery(
    'models/search-narrows',
    only(SEARCHES, ({ search }) => search === NONSENSE),
    narrows,
  ),
]

/** A search may find a few models that come close. */
const FEW_MODELS = 5

/** A search for what no model mentions may find what comes close, but not every model: then it is ignored. */
function narrows({ search, pages: found }: SearchGroup, world: World): Finding {
  const [total, matches] = [world.lists.find(isUnfiltered), found[0]].map(
    (list) => list && at(list.response.json, '/total'),
  )
  if (!(Number(total) > FEW_MODELS)) return skip('the list has few models: all of them may come close', found)
  const isRight = typeof matches === 'number' && matches < Number(total)
  return judge(isRight, `a search for ${show(search)} finds ${show(matches)} of ${Number(total)} models`, found)
}

/** Whether a list is returned, or another one with the same filters shows that there is something at its offset. What is rejected there is open. */
function isNotBeyond(list: ListCall, _: number, all: readonly ListCall[]): boolean {
  const [same = []] = byFilter([list, ...all]).values()
  return list.response.status < 400 || same.some(({ response }) => Number(at(response.json, '/total')) > offsetOf(list))
}

/** Judges limit, offset and total of a list by its query, and by the offset that another one has without a query. */
function isWholeList({ query, response }: ListCall, initial: unknown): readonly Finding[] {
  const models = itemsOf(at(response.json, '/models')).length
  const detail = `GET /v1/models: /models has ${models} models; expected ${query.limit} at most`
  return [
    hasStatus(response, 200),
    ...holds(response, {
      '/models': objects,
      '/total': count,
      '/limit': oneOf(query.limit),
      '/offset': query.offset === undefined && initial === undefined ? count : oneOf(query.offset ?? initial),
    }),
    judge(models <= query.limit, detail, response),
  ]
}

/** More than the maximum is rejected, or never returned; what is applied instead is open. */
function isCapped(response: ApiResponse): Finding {
  const [applied, models] = [at(response.json, '/limit'), itemsOf(at(response.json, '/models')).length]
  const isRight = typeof applied === 'number' && applied <= LIMITS.modelsPageMax && models <= LIMITS.modelsPageMax
  const detail = `limit=${LIMITS.modelsPageMax + 1}: ${rejectionText(response)}, /limit is ${show(applied)}, ${models} models`
  return judge(
    response.status >= 400 || isRight,
    `${detail}; expected an error, or ${LIMITS.modelsPageMax} at most`,
    response,
  )
}

function offsetOf({ query, response }: ListCall): number {
  return query.offset ?? Number(at(response.json, '/offset'))
}

/** Judges that a page holds as many models as there are from its offset on, up to its limit. */
function isFull(list: ListCall): Finding {
  const { query, response } = list
  const total = Number(at(response.json, '/total'))
  const expected = Math.max(0, Math.min(query.limit, total - offsetOf(list)))
  const held = itemsOf(at(response.json, '/models')).length
  const page = `the page of ${filterText(query)} with limit ${query.limit} and offset ${offsetOf(list)}`
  return judge(held === expected, `${page} has ${held} models; expected ${expected}, as /total is ${total}`, response)
}

/** The lists with the same filters, by filter in words. */
function byFilter(all: readonly ListCall[]): ReadonlyMap<string, readonly ListCall[]> {
  return groupBy(all, ({ query }) => filterText(query))
}

function filterText({ category, search }: Pick<ListCall['query'], 'category' | 'search'>): string {
  const searched = search === undefined ? '' : `a search for ${show(search)} in `
  return `${searched}${category === undefined ? 'all models' : `the category ${category}`}`
}

/** The pages of one search, in one category or in all. */
type SearchGroup = ReturnType<typeof searchGroups>[number]

function searchGroups(all: readonly ListCall[]) {
  const models = [...new Map(all.flatMap(({ response }) => modelsOf(response).map((one) => [one.id, one]))).values()]
  const searched = all.filter(({ query }) => (query.search ?? '') !== '')
  return [...byFilter(searched)].map(([filter, group]) => {
    const [{ search = '', category } = {}] = group.map(({ query }) => query)
    const holders = models.filter((model) => model.category === (category ?? model.category) && mentions(model, search))
    const anywhere = searched.find(({ query }) => query.category === undefined && query.search === search)
    return {
      filter,
      search,
      pages: group,
      found: [...new Set(group.flatMap(({ response }) => idsOf(response)))],
      /** Whether one page holds everything that is found. */
      isWhole: group.some(isWhole),
      /** Whole words hold the string in the name or the description of these: they must be found. */
      wanted: holders.map(({ id }) => id),
      /** What the same search finds in all categories, where one page holds all of it. */
      anywhere: anywhere && isWhole(anywhere) ? idsOf(anywhere.response) : undefined,
    }
  })
}

/** Whether one page holds everything that matches. */
function isWhole(page: ListCall): boolean {
  return offsetOf(page) === 0 && Number(at(page.response.json, '/total')) <= page.query.limit
}

/** Whether a string stands in a name or a description with nothing but spaces, or the end of a sentence, around it. */
function mentions({ name, description }: Record<string, unknown>, search: string): boolean {
  const isIn = (whole: unknown) => ` ${whole} `.replaceAll(/[.,;:!?](?= )/g, '').includes(` ${search} `)
  return isIn(name) || isIn(description)
}

function findsAll(
  { filter, pages: group, found, isWhole: isAll, wanted, anywhere }: SearchGroup,
  world: World,
): Finding {
  const missing = isAll ? wanted.filter((id) => !found.includes(id)) : []
  if (missing.length > 0) return fail(`${filter} does not find ${show(missing)}`, group)
  // Where nothing holds the string, some searches find what comes close.
  const near = world.lists.filter(({ query }) => query.search === NONSENSE).flatMap(({ response }) => idsOf(response))
  const isClose = wanted.length === 0 && near.length > 0
  const more = anywhere === undefined || isClose ? [] : found.filter((id) => !anywhere.includes(id))
  if (more.length > 0) return fail(`${filter} finds ${show(more)}, which the same search of all models does not`, group)
  return pass(`${filter} finds ${found.length} models`, group)
}

/** Judges that every model of a list has one place, on whatever page it is, and every place one model. */
function placesAgree(all: readonly ListCall[]): Finding {
  for (const [filter, same] of byFilter(all)) {
    const seen = new Map<string, { shown: string; list: ListCall }>()
    for (const { list, key, shown } of same.flatMap(placesOf)) {
      const known = seen.get(key) ?? { shown, list }
      seen.set(key, known)
      if (known.shown !== shown)
        return fail(`${filter}: ${key} goes with ${known.shown} and with ${shown}`, [known.list, list])
    }
  }
  return pass('every model stands at one place of a list', all)
}

/** Each model of a page with its place, and each place with its model. */
function placesOf(list: ListCall) {
  return idsOf(list.response).flatMap((id, index) => {
    const [place, model] = [`place ${offsetOf(list) + index}`, `model ${show(id)}`]
    return [
      { list, key: model, shown: place },
      { list, key: place, shown: model },
    ]
  })
}

function totalsAgree(all: readonly ListCall[]): Finding {
  for (const [filter, same] of byFilter(all)) {
    const totals = [...new Set(same.map(({ response }) => at(response.json, '/total')))]
    const ids = new Set(same.flatMap(({ response }) => idsOf(response)))
    if (ids.size > Number(totals[0]))
      return fail(`/total of ${filter} is ${totals[0]}; its pages hold ${ids.size} models`, same)
    if (totals.length > 1) return fail(`/total of ${filter} is ${totals.join(' on one page and ')} on another`, same)
  }
  return pass('total is the same on all pages', all)
}

/** Judges the totals of all models and of categories by what the whole list holds. */
function totalCountsAll(all: readonly ListCall[]): Finding {
  const plain = all.filter(isUnfiltered)
  const models = new Map(plain.flatMap(({ response }) => modelsOf(response).map((model) => [model.id, model])))
  const isLast = ({ response, query }: ListCall) =>
    query.limit === LIMITS.modelsPageMax && modelsOf(response).length < query.limit
  if (!plain.some((list) => isLast(list) && offsetOf(list) + modelsOf(list.response).length >= models.size))
    return skip('not all models were read', plain)
  for (const { query, response } of all) {
    if (query.search !== undefined) continue
    const matches = [...models.values()].filter(({ category }) => category === (query.category ?? category)).length
    const total = at(response.json, '/total')
    if (total !== matches)
      return fail(`/total of ${filterText(query)} is ${show(total)}; the whole list holds ${matches}`, response)
  }
  return pass(`total counts ${models.size} models and those of each category`, all)
}
