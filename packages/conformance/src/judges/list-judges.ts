import { LIMITS } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { every, type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, groupBy, itemsOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { crossedReads, firstPage, NONSENSE, searches, searchNonsense, wholeList } from '../scenarios/reads.ts'
import type { ApiCall, ListCall } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-every.ts'
import { hasFields } from './model-judges.ts'
import { observeLists } from './more-members.ts'
import { count, hasStatus, holds, objects, oneOf } from './rules.ts'
import { idsOf, isUnfiltered, type World } from './world.ts'

const LISTS: Source<ListCall> = {
  from: [firstPage, wholeList, searches, crossedReads],
  pick: ({ lists }) => lists,
  nothing: 'no list was returned',
}
const ASKED = { ...LISTS, pick: ({ askedLists }: World) => askedLists.filter(isNotBeyond) }
const STILL = { ...LISTS, pick: ({ stillLists }: World) => stillLists }
const ENTRIES: Source<{ entry: unknown; list: ApiResponse }> = {
  ...LISTS,
  pick: ({ lists }) =>
    lists.flatMap(({ response }) => itemsOf(at(response.json, '/models')).map((entry) => ({ entry, list: response }))),
  nothing: 'there are no models',
}
const withCategory = only(LISTS, ({ query }) => query.category !== undefined, 'no list has a category')

/** Lists with the same search, and what is known of all models. */
const SEARCHES: Source<SearchGroup> = {
  ...STILL,
  pick: ({ stillLists }) => searchGroups(stillLists),
  nothing: 'nothing was searched',
}

/** Every list (section 4.1). */
export const LIST_JUDGES: readonly Check[] = [
  judgeAll('models/every-list', ASKED, (lists, { calls }) => {
    const initial = at(lists.find(({ query }) => query.offset === undefined)?.response.json, '/offset')
    return every([
      ...lists.flatMap((list) => isWholeList(list, initial)),
      ...calls.filter(isReturned).flatMap(({ response, path }) => holds(response, shapeOf(path))),
    ])
  }),
  judgeEvery('models/every-page-is-full', LISTS, isFull),
  judgeEvery('models/every-entry', ENTRIES, ({ entry, list }) => [
    ...hasFields(entry, list),
    judge(!Object.hasOwn(Object(entry), 'input_schema'), 'an entry of the list has an input_schema', list),
  ]),
  judgeEvery('models/category', withCategory, ({ query, response }) => {
    const others = modelsOf(response).filter(({ category }) => category !== query.category)
    const detail = `the category ${query.category} holds ${show(others.map(({ id }) => id))} of others`
    return judge(others.length === 0, detail, response)
  }),
  judgeEvery('models/search', SEARCHES, findsAll),
  judgeAll('models/no-entry-twice', STILL, placesAgree),
  judgeAll('models/every-total', STILL, totalsAgree),
  judgeAll('models/total-counts-all', STILL, totalCountsAll),
  judgeAll('models/more-members', LISTS, (_, world) => observeLists(world)),
  judgeEvery('models/search-narrows', { ...SEARCHES, from: [searchNonsense, ...SEARCHES.from] }, narrows),
]

/** A search may find a few models that come close. */
const FEW_MODELS = 5

/** A search for what no model mentions may find what comes close, but not every model: then it is ignored. */
function narrows({ search, pages, category }: SearchGroup, { lists }: World): Finding {
  const [total, matches] = [lists.find(isUnfiltered), pages[0]].map((list) => list && at(list.response.json, '/total'))
  if (search !== NONSENSE || category !== undefined) return skip('models mention it', pages)
  if (!(Number(total) > FEW_MODELS)) return skip(`there are ${Number(total)} models: all of them may come close`, pages)
  const isRight = typeof matches === 'number' && matches < Number(total)
  return judge(isRight, `a search for ${show(search)} matches ${show(matches)} of ${Number(total)} models`, pages)
}

const SHAPE = { '/models': objects, '/total': count, '/limit': count, '/offset': count }

/** Whatever was asked for. */
function isReturned({ route, key, response }: ApiCall): boolean {
  return route === 'listModels' && key.kind === 'full' && response.status === 200
}

function shapeOf(path: string) {
  return /[?&]limit=/.test(path) ? SHAPE : { ...SHAPE, '/limit': oneOf(LIMITS.modelsPageDefault) }
}

/** Whether a list is returned, or another one with the same filters shows that there is something at its offset. What is rejected there is open. */
function isNotBeyond(list: ListCall, _: number, lists: readonly ListCall[]): boolean {
  const [same = []] = byFilter([list, ...lists]).values()
  return list.response.status < 400 || same.some(({ response }) => Number(at(response.json, '/total')) > offsetOf(list))
}

/** Judges limit, offset and total of a list by its query, and by the offset that another one has without a query. */
function isWholeList({ query, response }: ListCall, initial: unknown): readonly Finding[] {
  const models = at(response.json, '/models')
  const isList = Array.isArray(models) && models.length <= query.limit
  return [
    hasStatus(response, 200),
    judge(isList, `/models is ${show(models)}; expected ${query.limit} at most`, response),
    ...holds(response, { '/total': count, '/limit': oneOf(query.limit), '/offset': oneOf(query.offset ?? initial) }),
  ]
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
  const detail = `/models holds ${held} entries from ${offsetOf(list)} of ${total} on; expected ${expected}`
  return judge(held === expected, detail, response)
}

/** The lists with the same filters, by filter. */
function byFilter(lists: readonly ListCall[]): ReadonlyMap<string, readonly ListCall[]> {
  return groupBy(lists, ({ query }) => show([query.category ?? null, query.search ?? null]))
}

/** The pages of one search, in one category or in all. */
type SearchGroup = ReturnType<typeof searchGroups>[number]

function searchGroups(lists: readonly ListCall[]) {
  const models = [...new Map(lists.flatMap(({ response }) => modelsOf(response).map((one) => [one.id, one]))).values()]
  const groups = [...byFilter(lists).values()].flatMap((pages) => {
    const [{ search = '', category } = {}] = pages.map(({ query }) => query)
    const found = [...new Set(pages.flatMap(({ response }) => idsOf(response)))]
    const holders = models.filter((model) => model.category === (category ?? model.category) && mentions(model, search))
    return {
      search,
      category,
      pages,
      found,
      /** Whether the pages hold all that is found. */
      isWhole: pages.some((page) => holdsAll(page, found.length)),
      /** Whole words hold the text in the name or the description of these: they must be found. */
      wanted: holders.map(({ id }) => id),
    }
  })
  const searched = groups.filter(({ search }) => search !== '')
  return searched.map((group) => {
    const same = searched.find(({ search, category }) => category === undefined && search === group.search)
    const whole = same?.pages.find((page) => holdsAll(page))
    /** What the same search finds in all categories, where one page holds all of it. */
    return { ...group, anywhere: whole && idsOf(whole.response) }
  })
}

/** Whether one page holds everything that matches, or the pages together do with so many models. */
function holdsAll(page: ListCall, found = 0): boolean {
  return offsetOf(page) === 0 && Number(at(page.response.json, '/total')) <= Math.max(found, page.query.limit)
}

/** Whether a text stands in a name or a description with nothing but spaces, or the end of a sentence, around it. */
function mentions({ name, description }: Record<string, unknown>, text: string): boolean {
  const isIn = (whole: unknown) => ` ${whole} `.replaceAll(/[.,;:!?](?= )/g, '').includes(` ${text} `)
  return isIn(name) || isIn(description)
}

function findsAll({ search, category, pages, found, isWhole, wanted, anywhere }: SearchGroup, world: World): Finding {
  const missing = isWhole ? wanted.filter((id) => !found.includes(id)) : []
  // Where nothing holds the text, some searches find what comes close.
  const near = world.lists.filter((one) => one.query.search === NONSENSE).flatMap(({ response }) => idsOf(response))
  const isClose = wanted.length === 0 && near.length > 0
  const more = anywhere === undefined || isClose ? [] : found.filter((id) => !anywhere.includes(id))
  const where = category === undefined ? '' : ` in ${category}`
  const detail = `a search for ${show(search)}${where} finds ${found.length} models; missing: ${show(missing)}; on none but later pages: ${show(more)}`
  return judge(missing.length + more.length === 0, detail, pages)
}

/** Judges that every model of a list has one place, on whatever page it is, and every place one model. */
function placesAgree(lists: readonly ListCall[]): Finding {
  for (const [filter, same] of byFilter(lists)) {
    const seen = new Map<string, { shown: string; list: ListCall }>()
    for (const { list, one, shown } of same.flatMap(placesOf)) {
      const known = seen.get(one) ?? { shown, list }
      seen.set(one, known)
      if (known.shown !== shown)
        return fail(`with the filters ${filter}, ${one} goes with ${known.shown} and with ${shown}`, [known.list, list])
    }
  }
  return pass('every model stands at one place of a list', lists)
}

/** Each model of a page with its place, and each place with its model. */
function placesOf(list: ListCall) {
  return idsOf(list.response).flatMap((id, index) => {
    const [place, model] = [`place ${offsetOf(list) + index}`, `model ${show(id)}`]
    return [
      { list, one: model, shown: place },
      { list, one: place, shown: model },
    ]
  })
}

function totalsAgree(lists: readonly ListCall[]): Finding {
  for (const [filter, same] of byFilter(lists)) {
    const totals = [...new Set(same.map(({ response }) => at(response.json, '/total')))]
    const ids = new Set(same.flatMap(({ response }) => idsOf(response)))
    const where = `with the filters ${filter}, total is`
    if (ids.size > Number(totals[0])) return fail(`${where} ${totals[0]}; ${ids.size} models are on its pages`, same)
    if (totals.length > 1) return fail(`${where} ${totals.join(' and ')}`, same)
  }
  return pass('total is the same on all pages', lists)
}

/** Judges the totals of all models and of categories by what the whole list holds. */
function totalCountsAll(lists: readonly ListCall[]): Finding {
  const plain = lists.filter(isUnfiltered)
  const models = new Map(plain.flatMap(({ response }) => modelsOf(response).map((model) => [model.id, model])))
  const total = Math.max(...plain.map(({ response }) => Number(at(response.json, '/total'))))
  const isWhole = plain.some((list) => {
    const [held, { limit }] = [modelsOf(list.response).length, list.query]
    return limit === LIMITS.modelsPageMax && held < limit && offsetOf(list) + held >= models.size
  })
  if (!isWhole) return skip(`not all of the ${total} models were read`, plain)
  for (const { query, response } of lists) {
    if (query.search !== undefined) continue
    const matches = [...models.values()].filter(({ category }) => category === (query.category ?? category)).length
    const shown = at(response.json, '/total')
    if (shown !== matches)
      return fail(`total of ${query.category ?? 'all models'} is ${show(shown)}; all pages hold ${matches}`, response)
  }
  return pass(`total counts ${models.size} models and those of each category`, lists)
}
